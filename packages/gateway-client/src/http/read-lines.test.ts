import { describe, expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

async function read(chunks: readonly (string | Uint8Array)[], maxLineBytes = 100): Promise<readonly unknown[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
  return Array.fromAsync(readLines(body(), { maxLineBytes, invalid: (reason) => new Error(reason) }));
}

describe('readLines', () => {
  it('gives the values of lines, however they are cut, and passes over empty ones', async () => {
    const bytes = Buffer.from('{"a":"ü"}\n\n[1]\n');
    const each = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await read(each)).toEqual([{ a: 'ü' }, [1]]);
    expect(await read([bytes])).toEqual([{ a: 'ü' }, [1]]);
  });

  it.each([
    [['{]\n'], 'not JSON'],
    [[Buffer.from([0x22, 0xff, 0x22, 0x0a])], 'not JSON'],
    [['1\n2'], 'in the middle of a line'],
    [[`"${'x'.repeat(200)}"\n`], 'more than 100 bytes'],
    [Array<string>(20).fill('xxxxxxxxxx'), 'more than 100 bytes'],
  ])('refuses %j', async (chunks, reason) => {
    await expect(read(chunks)).rejects.toThrow(reason);
  });
});
