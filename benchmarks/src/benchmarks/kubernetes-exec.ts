import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import type { Contender } from '../contenders/contender.ts';
import { openKubernetesClient } from '../contenders/kubernetes-client.ts';
import { openKubernetesWorkspace } from '../contenders/kubernetes-workspace.ts';
import { missingCluster, openNamespace } from '../kubernetes/bench-cluster.ts';

const FILE = 'file.txt';
const BYTES = 1024;
const EIGHT_TIMES_FASTER = 1 / 8;
/** By then the node has done what it does after it has answered an exec. */
const NODE_SETTLE_MS = 100;

function podBenchmark(name: string, call: (contender: Contender) => Promise<unknown>): Benchmark {
  return {
    name,
    missing: missingCluster,
    async run() {
      await using namespace = await openNamespace();
      await using ours = await openKubernetesWorkspace(namespace);
      await using client = await openKubernetesClient(namespace);
      const subjects = [ours, client].map((contender) => ({ name: contender.name, call: () => call(contender) }));
      for (const contender of [ours, client]) await contender.writeFile?.(FILE, 'x'.repeat(BYTES));
      const bars = { [client.name]: { bar: EIGHT_TIMES_FASTER } };
      return await compare({ name, subjects, bars, calls: 40, warmUpCalls: 5, settleMs: NODE_SETTLE_MS });
    },
  };
}

/** A command that does nothing, in a Pod. */
export const kubernetesExec: Benchmark = podBenchmark('kubernetes-exec', async (contender) => contender.execTrue?.());

/** A file read whole, from a Pod. */
export const kubernetesRead: Benchmark = podBenchmark('kubernetes-read-1KiB', async (contender) => {
  const length = await contender.readFile?.(FILE);
  if (length !== BYTES) throw new Error(`${contender.name} read ${length} of ${BYTES} bytes.`);
});
