/* A Kubernetes cluster of one node for tests, on this machine and in one folder. See docs/testing-on-kubernetes.md. */
import { parseArgs } from 'node:util';
import { openClusterFolder } from './src/cluster/cluster-folder.ts';
import { lockCluster } from './src/cluster/cluster-lock.ts';
import { takeDown } from './src/cluster/down.ts';
import { loadImage } from './src/cluster/images.ts';
import type { PartName } from './src/cluster/parts.ts';
import { ensurePrograms } from './src/cluster/programs.ts';
import { requireRoot } from './src/cluster/requirements.ts';
import { restartPart } from './src/cluster/restart.ts';
import { formatStatus, isReady, readStatus } from './src/cluster/status.ts';
import { bringUp } from './src/cluster/up.ts';

const USAGE = `Usage: pnpm cluster COMMAND

  build                        builds the programs, unless they are there; \`up\` does so, too
  up [--install]               starts the cluster, unless it runs, and prints its kubeconfig's path as the last line;
                               --install installs what is missing of Debian's packages
  down                         takes it down and leaves the machine as it was
  status                       says how it is; the exit code is 0 if Pods can run
  load IMAGE...                copies images from the local Docker Engine into it
  restart kubelet|apiserver    kills that part and starts it again

It lives in $WORKSPACE_CLUSTER_DIR, or else in ~/.cache/agent-workspace/cluster.`;

const RESTARTABLE: Readonly<Record<string, PartName>> = { kubelet: 'kubelet', apiserver: 'kube-apiserver' };

class UsageError extends Error {}

async function main(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { install: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const [command, ...names] = positionals;
  if (command !== 'build') requireRoot();
  const folder = await openClusterFolder();
  switch (command) {
    case 'build': {
      await using _lock = await lockCluster(folder);
      await ensurePrograms(folder);
      return;
    }
    case 'up':
      await bringUp(folder, values);
      console.log(folder.kubeconfig);
      return;
    case 'down':
      await takeDown(folder);
      return;
    case 'status': {
      const status = await readStatus(folder);
      console.log(formatStatus(status));
      if (!isReady(status)) process.exitCode = 1;
      return;
    }
    case 'load':
      if (names.length === 0) throw new UsageError('Name the images.');
      for (const name of names) console.log(`${name}: ${(await loadImage(folder, name)) ? 'copied' : 'there already'}`);
      return;
    case 'restart': {
      const part = RESTARTABLE[names[0] ?? ''];
      if (part === undefined) throw new UsageError('Name the part.');
      const begin = performance.now();
      await restartPart(folder, part);
      console.log(`${part} answers again, after ${((performance.now() - begin) / 1000).toFixed(1)} s.`);
      return;
    }
    default:
      throw new UsageError(command === undefined ? 'Name a command.' : `There is no command ${command}.`);
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof UsageError) console.error(`\n${USAGE}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
