import type { Benchmark } from '../benchmark.ts';
import { compareContenders } from '../compare.ts';
import { openDockerode } from '../contenders/dockerode.ts';
import { openOursInDocker } from '../contenders/docker-workspace.ts';
import { openMastraDocker } from '../contenders/mastra-docker.ts';
import { openOpenaiDocker } from '../contenders/openai-docker.ts';
import { ENGINE_SETTLE_MS, missingDocker } from '../docker/docker-bench.ts';

const FILE = 'file.txt';
const BYTES = 1024;
const CONTENT = 'x'.repeat(BYTES);
const SIXTY_TIMES_FASTER = 1 / 60;

/** A file read whole, from a container. */
export const dockerRead: Benchmark = {
  name: 'docker-read-1KiB',
  missing: missingDocker,
  run: (scratch) =>
    compareContenders({
      name: 'docker-read-1KiB',
      scratch,
      contenders: [openOursInDocker, openDockerode, openMastraDocker, openOpenaiDocker],
      subject: async (contender) => {
        await contender.writeFile?.(FILE, CONTENT);
        return async () => {
          const length = await contender.readFile?.(FILE);
          if (length !== BYTES) throw new Error(`${contender.name} read ${length} of ${BYTES} bytes.`);
        };
      },
      bars: { dockerode: { bar: SIXTY_TIMES_FASTER } },
      calls: 40,
      warmUpCalls: 5,
      settleMs: ENGINE_SETTLE_MS,
    }),
};

/** A file written over, in a container. */
export const dockerWrite: Benchmark = {
  name: 'docker-write-1KiB',
  missing: missingDocker,
  run: (scratch) =>
    compareContenders({
      name: 'docker-write-1KiB',
      scratch,
      contenders: [openOursInDocker, openDockerode, openMastraDocker, openOpenaiDocker],
      subject: async (contender) => async () => contender.writeFile?.(FILE, CONTENT),
      calls: 40,
      warmUpCalls: 5,
      settleMs: ENGINE_SETTLE_MS,
    }),
};
