import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DockerWorkspace } from '@agent-workspace/docker';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { makeMastraDocker } from '../contenders/mastra-docker.ts';
import { startOpenaiDocker } from '../contenders/openai-docker.ts';
import { MANAGER_ID, missingDocker, workspaceImage } from '../docker/docker-bench.ts';
import { startNodeServer } from '../docker/node-server.ts';
import type { Subject } from '../measure.ts';
import { interruption } from '../interruption.ts';

/** Something with a beginning and an end, each of which can be timed. */
interface Life {
  readonly name: string;
  /** @returns how it ends */
  readonly begin: (root: string) => Promise<() => Promise<unknown>>;
}

const LIVES: readonly Life[] = [
  {
    name: 'ours',
    begin: async (root) => {
      const workdir = join(root, 'workspace');
      const workspace = await DockerWorkspace.open({ workdir, managerId: MANAGER_ID, signal: interruption });
      return () => workspace.close();
    },
  },
  {
    name: 'create, start, node',
    begin: async (root) => {
      const container = await startNodeServer(root);
      return () => container.remove({ force: true });
    },
  },
  {
    name: '@mastra/docker',
    begin: async () => {
      const sandbox = await makeMastraDocker();
      await sandbox.start();
      return () => sandbox.destroy();
    },
  },
  {
    name: '@openai/agents',
    begin: async (root) => {
      const session = await startOpenaiDocker(root);
      return () => session.close();
    },
  },
];

/** Each call in a new directory. */
function subjects(scratch: string, timed: 'begin' | 'end'): readonly Subject[] {
  return LIVES.map(({ name, begin }, index) => {
    let call = 0;
    let root = '';
    let end = async (): Promise<unknown> => undefined;
    const makeRoot = async (): Promise<void> => {
      root = join(scratch, `life-${timed}-${index}-${(call += 1)}`);
      await mkdir(root);
    };
    const start = async (): Promise<void> => {
      end = await begin(root);
    };
    return timed === 'begin'
      ? { name, prepare: makeRoot, call: start, finish: () => end() }
      : { name, prepare: () => makeRoot().then(start), call: () => end() };
  });
}

function lifeBenchmark(name: string, timed: 'begin' | 'end', bar?: number): Benchmark {
  return {
    name,
    missing: missingDocker,
    async run(scratch) {
      await workspaceImage();
      return await compare({
        name,
        subjects: subjects(scratch, timed),
        bars: { 'create, start, node': { bar } },
        calls: 10,
        warmUpCalls: 2,
      });
    },
  };
}

/** `DockerWorkspace.open()`, its image being there, up to what it can be used for. */
export const dockerInitialize: Benchmark = lifeBenchmark('docker-initialize', 'begin', 1.3);

/** `close()` by the only host: the container is gone. */
export const dockerClose: Benchmark = lifeBenchmark('docker-close', 'end');
