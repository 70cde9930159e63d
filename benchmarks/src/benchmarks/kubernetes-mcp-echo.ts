import { readFile } from 'node:fs/promises';
import type { TransportKind } from '@agent-workspace/kubernetes';
import type { Benchmark } from '../benchmark.ts';
import { bundleProgram } from '../bundle-program.ts';
import { compare } from '../compare.ts';
import { openKubernetesWorkspace } from '../contenders/kubernetes-workspace.ts';
import { type BenchNamespace, missingCluster, openNamespace } from '../kubernetes/bench-cluster.ts';
import { type EchoSession, echoOf, openDirectEcho } from '../mcp/echo-session.ts';

const CALLS = 1_000;
const TRANSPORTS = ['pod-ip', 'port-forward', 'exec'] as const satisfies readonly TransportKind[];
const SERVER = '/workspace/echo-server.mjs';

/** A tool call to an MCP server in a Pod, over each way there is; the median is the p50. */
export const kubernetesMcpEcho: Benchmark = {
  name: 'kubernetes-mcp-echo',
  missing: missingCluster,
  async run(scratch) {
    const server = await bundleProgram('echo-server', scratch);
    await using opened = new AsyncDisposableStack();
    const namespace = opened.use(await openNamespace());
    const direct = opened.use(await openDirectEcho(server));
    const rows = [];
    for (const transport of TRANSPORTS) {
      const ours = opened.use(await openPodEcho(namespace, { transport, server }));
      const subjects = [ours, direct].map((session) => ({ name: session.name, call: () => session.echo('hello') }));
      const name = `kubernetes-mcp-echo-${transport}`;
      rows.push(...(await compare({ name, subjects, calls: CALLS, warmUpCalls: CALLS / 5 })));
    }
    return rows;
  },
};

async function openPodEcho(
  namespace: BenchNamespace,
  { transport, server }: { readonly transport: TransportKind; readonly server: string },
): Promise<EchoSession> {
  const contender = await openKubernetesWorkspace(namespace, {
    transport,
    defaultMcps: [{ name: 'echo', command: 'node', args: [SERVER] }],
  });
  await contender.workspace.backend.writeFile(SERVER, await readFile(server));
  const [mcp] = await contender.workspace.listMcps();
  return {
    name: contender.name,
    echo: echoOf(contender.name, mcp),
    [Symbol.asyncDispose]: () => contender[Symbol.asyncDispose](),
  };
}
