import type { Benchmark } from '../benchmark.ts';
import { compareContenders } from '../compare.ts';
import type { Contender, OpenContender } from '../contenders/contender.ts';
import { openDeepagents } from '../contenders/deepagents.ts';
import { openMastra } from '../contenders/mastra.ts';
import { openNodeFloor } from '../contenders/node-floor.ts';
import { openOurs } from '../contenders/ours.ts';
import type { Row } from '../row.ts';

const CONTENDERS: readonly OpenContender[] = [openOurs, openNodeFloor, openMastra, openDeepagents];

const LINE = 'export const answer = compute({ depth: 12, label: "a line of source text" });';

/** Text of exactly this many bytes, in lines of 78. */
function sourceText(bytes: number): string {
  return `${LINE}\n`.repeat(Math.ceil(bytes / (LINE.length + 1))).slice(0, bytes);
}

function readBenchmark(name: string, bytes: number, calls: number): Benchmark {
  const subject = async (contender: Contender): Promise<(() => Promise<void>) | undefined> => {
    await contender.writeFile?.('file.ts', sourceText(bytes));
    return async () => {
      const length = await contender.readFile?.('file.ts');
      if (length !== bytes) throw new Error(`${contender.name} read ${length} of ${bytes} bytes.`);
    };
  };
  return {
    name,
    run: (scratch): Promise<readonly Row[]> =>
      compareContenders({ name, scratch, contenders: CONTENDERS, subject, calls, warmUpCalls: calls / 5 }),
  };
}

export const readSmall: Benchmark = readBenchmark('read-1KiB', 1024, 2000);
export const readLarge: Benchmark = readBenchmark('read-1MiB', 1024 * 1024, 200);

/** Writes over a file that is there. */
export const writeSmall: Benchmark = {
  name: 'write-1KiB',
  run: (scratch) =>
    compareContenders({
      name: 'write-1KiB',
      scratch,
      contenders: CONTENDERS,
      subject: async (contender) => () => contender.writeFile?.('file.ts', sourceText(1024)) ?? Promise.resolve(),
      calls: 1000,
      warmUpCalls: 200,
    }),
};

/** Replaces one line in the middle of 16 KiB, back and forth. */
export const edit: Benchmark = {
  name: 'edit',
  run: (scratch) =>
    compareContenders({
      name: 'edit',
      scratch,
      contenders: CONTENDERS,
      subject: async (contender) => {
        const half = sourceText(8 * 1024);
        await contender.writeFile?.('file.ts', `${half}\nconst mode = 'off';\n${half}`);
        let from = "const mode = 'off';";
        let to = "const mode = 'on';";
        return async () => {
          await contender.editFile?.('file.ts', from, to);
          [from, to] = [to, from];
        };
      },
      calls: 500,
      warmUpCalls: 100,
    }),
};
