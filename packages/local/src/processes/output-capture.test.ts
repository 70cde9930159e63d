import { describe, expect, it } from 'vitest';
import { OutputCapture } from './output-capture.ts';

function capture(maxBytes: number, chunks: readonly string[]) {
  const output = new OutputCapture(maxBytes);
  for (const chunk of chunks) output.write(Buffer.from(chunk));
  const { head, tail, droppedBytes, totalBytes } = output.result();
  return [Buffer.from(head).toString(), Buffer.from(tail).toString(), droppedBytes, totalBytes];
}

describe('OutputCapture', () => {
  it('keeps everything up to the cap in one piece', () => {
    expect(capture(8, [])).toStrictEqual(['', '', 0, 0]);
    expect(capture(8, ['abc', 'de'])).toStrictEqual(['abcde', '', 0, 5]);
    expect(capture(8, ['abc', 'defgh'])).toStrictEqual(['abcdefgh', '', 0, 8]);
  });

  it('keeps head and tail beyond it', () => {
    expect(capture(8, ['abcdefghi'])).toStrictEqual(['abcd', 'fghi', 1, 9]);
    expect(capture(5, ['abcdefghi'])).toStrictEqual(['abc', 'hi', 4, 9]);
    expect(capture(1, ['abc'])).toStrictEqual(['a', '', 2, 3]);
    expect(capture(0, ['abc', 'd'])).toStrictEqual(['', '', 4, 4]);
  });

  it('does so however the output is cut into chunks', () => {
    const text = Array.from({ length: 500 }, (_, number) => String.fromCharCode(97 + (number % 26))).join('');
    for (const maxBytes of [2, 7, 64, 100, 499]) {
      for (const chunkLength of [1, 2, 3, 13, 64, 250, 499, 500]) {
        const count = Math.ceil(text.length / chunkLength);
        const chunks = Array.from({ length: count }, (_, n) => text.slice(n * chunkLength, (n + 1) * chunkLength));
        const tailLength = Math.floor(maxBytes / 2);
        expect(capture(maxBytes, chunks)).toStrictEqual([
          text.slice(0, maxBytes - tailLength),
          text.slice(text.length - tailLength),
          text.length - maxBytes,
          text.length,
        ]);
      }
    }
  });
});
