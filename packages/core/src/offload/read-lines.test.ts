import { describe, expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

function streamOf(...chunks: string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1')));
}

describe('readLines', () => {
  it('splits at line feeds alone, over chunks, also inside of a character', async () => {
    const text = Buffer.from('a\r\n你\u2028b\n\nlast', 'utf8').toString('latin1');
    for (const cut of [1, 3, 4, 5, 9]) {
      const lines = await Array.fromAsync(readLines(streamOf(text.slice(0, cut), text.slice(cut))));
      expect(lines).toEqual([
        { text: 'a\r', line: 1, isTorn: false },
        { text: '你\u2028b', line: 2, isTorn: false },
        { text: '', line: 3, isTorn: false },
        { text: 'last', line: 4, isTorn: true },
      ]);
    }
  });

  it('gives nothing for an empty file', async () => {
    expect(await Array.fromAsync(readLines(streamOf()))).toEqual([]);
  });
});
