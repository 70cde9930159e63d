import type { Benchmark } from '../benchmark.ts';
import { compareContenders } from '../compare.ts';
import { openDeepagents } from '../contenders/deepagents.ts';
import { openMastra } from '../contenders/mastra.ts';
import { openNodeFloor } from '../contenders/node-floor.ts';
import { openOurs } from '../contenders/ours.ts';

/** A command that does nothing: what starting, watching and reaping a process takes. */
export const exec: Benchmark = {
  name: 'exec',
  run: (scratch) =>
    compareContenders({
      name: 'exec',
      scratch,
      contenders: [openOurs, openNodeFloor, openMastra, openDeepagents],
      subject: async (contender) => contender.execTrue?.bind(contender),
      calls: 200,
      warmUpCalls: 20,
    }),
};
