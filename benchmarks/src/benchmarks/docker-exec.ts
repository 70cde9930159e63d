import type { Benchmark } from '../benchmark.ts';
import { compareContenders, type CompareContendersOptions } from '../compare.ts';
import { openDockerode } from '../contenders/dockerode.ts';
import { openOursInDocker } from '../contenders/docker-workspace.ts';
import { openMastraDocker } from '../contenders/mastra-docker.ts';
import { openOpenaiDocker } from '../contenders/openai-docker.ts';
import { openOurs } from '../contenders/ours.ts';
import { ENGINE_SETTLE_MS, missingDocker } from '../docker/docker-bench.ts';

const TEN_TIMES_FASTER = 0.1;
const SUBJECT: CompareContendersOptions['subject'] = async (contender) => contender.execTrue?.bind(contender);

/** A command that does nothing, in a container. */
export const dockerExec: Benchmark = {
  name: 'docker-exec',
  missing: missingDocker,
  async run(scratch) {
    // Apart from those whose calls leave work to the engine.
    const local = await compareContenders({
      name: 'docker-exec',
      scratch,
      contenders: [openOursInDocker, async (root) => ({ ...(await openOurs(root)), name: 'LocalWorkspace' })],
      subject: SUBJECT,
      bars: { LocalWorkspace: { bar: 1.5 } },
      calls: 400,
      warmUpCalls: 50,
    });
    const engine = await compareContenders({
      name: 'docker-exec',
      scratch,
      contenders: [openOursInDocker, openDockerode, openMastraDocker, openOpenaiDocker],
      subject: SUBJECT,
      bars: { dockerode: { bar: TEN_TIMES_FASTER } },
      calls: 30,
      warmUpCalls: 3,
      settleMs: ENGINE_SETTLE_MS,
    });
    return [...local, ...engine];
  },
};
