import { describe, expect, it } from 'vitest';
import { OutputWindow } from './output-window.ts';

const { signal } = new AbortController();
const MIB = 1024 * 1024;

/** A stream of chunks that counts how many were taken from it. */
function countedStream(chunks: number, size: number): { readonly stream: ReadableStream<Uint8Array>; taken: number } {
  const counted = {
    taken: 0,
    stream: new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (counted.taken === chunks) return controller.close();
          controller.enqueue(new Uint8Array(size).fill(counted.taken));
          counted.taken += 1;
        },
      },
      { highWaterMark: 0 },
    ),
  };
  return counted;
}

describe('OutputWindow', () => {
  it('takes no more than its window until that is confirmed', async () => {
    const counted = countedStream(32, MIB / 8);
    const window = new OutputWindow(counted.stream);
    await expect.poll(() => counted.taken).toBe(8);
    const first = await window.read({ offset: 0, maxBytes: 2 * MIB, waitMs: 0, signal });
    expect([first.bytes.byteLength, first.isEnd]).toEqual([MIB, false]);
    expect(counted.taken).toBe(8);
    await window.read({ offset: MIB / 2, maxBytes: 1, waitMs: 0, signal });
    await expect.poll(() => counted.taken).toBe(12);
  });

  it('gives every byte once it is asked for, in parts of any size', async () => {
    const window = new OutputWindow(countedStream(20, 1000).stream);
    let offset = 0;
    const seen: number[] = [];
    for (let isEnd = false; !isEnd;) {
      const part = await window.read({ offset, maxBytes: 777, waitMs: 1000, signal });
      seen.push(...part.bytes);
      offset += part.bytes.byteLength;
      isEnd = part.isEnd;
    }
    expect(seen).toEqual(Array.from({ length: 20_000 }, (_, index) => Math.floor(index / 1000)));
  });

  it('refuses what it has let go of, and what is not there yet', async () => {
    const window = new OutputWindow(countedStream(1, 10).stream);
    await window.read({ offset: 0, maxBytes: 10, waitMs: 1000, signal });
    await window.read({ offset: 5, maxBytes: 10, waitMs: 0, signal });
    for (const offset of [4, 11]) {
      await expect(window.read({ offset, maxBytes: 1, waitMs: 0, signal })).rejects.toMatchObject({
        code: 'gateway-request-invalid',
      });
    }
  });

  it('ends where a pipe breaks', async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('EIO')) });
    const part = await new OutputWindow(broken).read({ offset: 0, maxBytes: 1, waitMs: 1000, signal });
    expect(part).toMatchObject({ offset: 0, isEnd: true });
  });
});
