import type { Benchmark } from '../benchmark.ts';
import { compareContenders } from '../compare.ts';
import type { OpenContender } from '../contenders/contender.ts';
import { openDeepagents } from '../contenders/deepagents.ts';
import { openMastra } from '../contenders/mastra.ts';
import { openOurs } from '../contenders/ours.ts';
import { openRipgrepFloor } from '../contenders/ripgrep-floor.ts';
import { makeSearchTree, NEEDLE } from '../search-tree.ts';

const CONTENDERS: readonly OpenContender[] = [openOurs, openRipgrepFloor, openMastra, openDeepagents];
const PATTERN = '**/*.ts';

/** A quick answer that leaves things out is no answer. */
function expectCount(who: string, found: number | undefined, expected: number): void {
  if (found !== expected) throw new Error(`${who} found ${found} of ${expected}.`);
}

/** A rare word in 20,000 files. */
export const grep: Benchmark = {
  name: 'grep',
  async run(scratch) {
    const tree = await makeSearchTree(scratch);
    return await compareContenders({
      name: 'grep',
      scratch,
      sharedRoot: tree.root,
      contenders: CONTENDERS,
      subject: async (contender) => async () =>
        expectCount(contender.name, await contender.grep?.(NEEDLE), tree.needleLines),
      bars: { ripgrep: { bar: 1.15 } },
      calls: 15,
      warmUpCalls: 2,
    });
  },
};

/** Two fifths of 20,000 files by their extension. */
export const glob: Benchmark = {
  name: 'glob',
  async run(scratch) {
    const tree = await makeSearchTree(scratch);
    return await compareContenders({
      name: 'glob',
      scratch,
      sharedRoot: tree.root,
      contenders: CONTENDERS,
      subject: async (contender) => async () =>
        expectCount(contender.name, await contender.glob?.(PATTERN), tree.typescriptFiles),
      bars: { ripgrep: { bar: 1.3 } },
      calls: 15,
      warmUpCalls: 2,
    });
  },
};
