import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';

const reader = (...chunks: readonly (string | Buffer)[]): LineReader =>
  new LineReader(
    Readable.from(
      chunks.map((chunk) => Buffer.from(chunk)),
      { objectMode: false },
    ),
  );

describe('LineReader', () => {
  it('gives lines however they come, and then the rest', async () => {
    const said = reader('fir', 'st\nsecond\nthe re', 'st\nof it\n');
    expect([await said.line(), await said.line(), await said.rest()]).toEqual(['first', 'second', 'the rest\nof it\n']);
  });

  it('gives what there is where the end comes before that of a line', async () => {
    const said = reader('half a li', 'ne');
    expect([await said.line(), await said.line(), await said.rest()]).toEqual(['half a line', '', '']);
  });

  it('puts together a character that comes in two parts', async () => {
    const bytes = Buffer.from('é\n');
    expect(await reader(bytes.subarray(0, 1), bytes.subarray(1)).line()).toBe('é');
  });

  it('fails as the stream does', async () => {
    const stream = new Readable({ read: () => undefined });
    const line = new LineReader(stream).line();
    stream.destroy(new Error('broken'));
    await expect(line).rejects.toThrow('broken');
  });
});
