import { describe, expect, it } from 'vitest';
import { LineReader } from './read-lines.ts';

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
});
