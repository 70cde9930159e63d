import { describe, expect, it } from 'vitest';
import { cutLine } from './cut-line.ts';
import { LineReader, type OutputLine } from './read-lines.ts';

/** Reads `output` in chunks of `size` bytes. */
function read(output: string, size: number, isWanted: (path: string) => boolean = () => true): readonly string[] {
  const seen: string[] = [];
  const reader = new LineReader({
    onFile: (path) => {
      seen.push(`file ${path}`);
      return isWanted(path);
    },
    onLine: ({ line, column, bytes, start, end }) =>
      seen.push(`${line}:${column ?? ''}:${bytes.toString('utf8', start, end)}`),
    onMessage: (message) => seen.push(`message ${message}`),
  });
  const input = Buffer.from(output);
  for (let start = 0; start < input.byteLength; start += size) reader.read(input.subarray(start, start + size));
  reader.end();
  return seen;
}

const NUL = '\0';
const output = `./a${NUL}1:3:1:2:text\n./a${NUL}2-3-context\r\n./two\nlines${NUL}10:1:ü${NUL}`;

describe('LineReader', () => {
  it.each([1, 2, 7, 1_000])('reads lines that come in chunks of %d bytes', (size) => {
    expect(read(`${output}\n./b${NUL}1:1:\n`, size)).toEqual([
      'file ./a',
      '1:2:1:2:text',
      '2::3-context',
      'file ./two\nlines',
      '10:0:ü\0',
      'file ./b',
      '1:0:',
    ]);
  });

  it('passes over the lines of a file that is not wanted', () => {
    const lines = `./a${NUL}1:1:x\n./b${NUL}1:1:y\n`;
    expect(read(lines, 3, (path) => path === './b')).toEqual(['file ./a', 'file ./b', '1:0:y']);
  });

  it.each([1, 50, 1_000])('takes messages about binary files out of the lines, in chunks of %d bytes', (size) => {
    const warning = './x: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n';
    const matches = './y: binary file matches (found "\\0" byte around offset 4)\n';
    expect(read(`./x${NUL}1:1:hit\n${warning}./z${NUL}1:1:hit\n${matches}`, size)).toEqual([
      'file ./x',
      '1:0:hit',
      'message x: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)',
      'file ./z',
      '1:0:hit',
      'message y: binary file matches (found "\\0" byte around offset 4)',
    ]);
  });

  describe('with lines that are too long to be held', () => {
    const MAX_SHOWN_BYTES = 2_000;
    const CHUNK_BYTES = 64 * 1024;
    const LONG = Buffer.from(Array.from({ length: 200_000 }, (_, index) => `${index} ü `).join(''));
    const END = LONG.byteLength;

    /** What is shown of each line, and the most bytes that came with one. */
    function show(stdout: Buffer): { readonly shown: readonly unknown[]; readonly mostBytes: number } {
      const shown: unknown[] = [];
      let mostBytes = 0;
      const onLine = (line: OutputLine): void => {
        mostBytes = Math.max(mostBytes, line.bytes.byteLength);
        const { text, isCut } = cutLine(line.bytes, line, MAX_SHOWN_BYTES);
        shown.push({ path: line.path, line: line.line, isMatch: line.column !== undefined, text, isCut });
      };
      const onMessage = (message: string): unknown => shown.push(message);
      const reader = new LineReader({ onFile: () => true, onLine, onMessage }, { maxShownBytes: MAX_SHOWN_BYTES });
      for (let start = 0; start < stdout.byteLength; start += CHUNK_BYTES) {
        reader.read(stdout.subarray(start, start + CHUNK_BYTES));
      }
      reader.end();
      return { shown, mostBytes };
    }

    it.each([
      { match: 'at the start', column: 0 },
      { match: 'near the start', column: 1_999 },
      { match: 'in what is held', column: 600_001 },
      { match: 'past what is held', column: 1_500_001 },
      { match: 'near the end', column: END - 700 },
      { match: 'at the end', column: END },
      { match: 'further on, in a line below', column: END + 5_000 },
      { match: 'in another line', column: undefined },
    ])('shows what it would of a whole one, the match $match', ({ column }) => {
      const expected = {
        ...cutLine(LONG, { start: 0, end: END, column }, MAX_SHOWN_BYTES),
        isMatch: column !== undefined,
      };
      for (const lineEnd of ['\n', '\r\n']) {
        const head = column === undefined ? `./a${NUL}7-` : `./a${NUL}7:${column + 1}:`;
        const { shown, mostBytes } = show(Buffer.from(`${head}${LONG.toString()}${lineEnd}./b${NUL}1:1:x\n`));
        expect(shown).toEqual([
          { path: './a', line: 7, ...expected },
          { path: './b', line: 1, isMatch: true, text: 'x', isCut: false },
        ]);
        expect(mostBytes).toBeLessThan(CHUNK_BYTES + 1);
      }
    });

    it('passes over one that has no end', () => {
      expect(show(Buffer.from(`./a${NUL}1:1:x\n./a${NUL}2:1:${LONG.toString()}`)).shown).toEqual([
        { path: './a', line: 1, isMatch: true, text: 'x', isCut: false },
      ]);
    });

    it('tells messages that are as long together from the line after them', () => {
      const message = 'x: binary file matches (found "\\0" byte around offset 4)';
      const count = 40_000;
      const { shown } = show(Buffer.from(`${`./${message}\n`.repeat(count)}./a${NUL}12:3:hit\n`));
      expect(shown).toHaveLength(count + 1);
      expect(new Set(shown.slice(0, count))).toEqual(new Set([message]));
      expect(shown.at(-1)).toMatchObject({ path: './a', line: 12, text: 'hit' });
    });
  });
});
