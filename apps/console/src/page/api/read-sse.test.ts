import { describe, expect, it, vi } from 'vitest';
import { readSse, type SseMessage } from './read-sse.ts';

/** A body that comes in these pieces. */
function bodyOf(pieces: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const rest = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = rest.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}

async function read(...texts: readonly string[]): Promise<readonly SseMessage[]> {
  return Array.fromAsync(readSse(bodyOf(texts.map((text) => new TextEncoder().encode(text)))));
}

describe('readSse', () => {
  it('gives messages with their ids and types', async () => {
    expect(await read('id: 7\nevent: tool-ended\ndata: {"a":1}\n\ndata: b\n\n')).toStrictEqual([
      { id: '7', event: 'tool-ended', data: '{"a":1}' },
      { id: '7', event: 'message', data: 'b' },
    ]);
  });

  it('joins what comes in pieces, in the middle of a character too', async () => {
    const bytes = new TextEncoder().encode('data: é\r\n\r\n');
    const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(await Array.fromAsync(readSse(bodyOf(pieces)))).toStrictEqual([
      { id: undefined, event: 'message', data: 'é' },
    ]);
  });

  it('joins lines of data, and passes over comments and what is cut off', async () => {
    expect(await read(':\n\n: still here\ndata: one\ndata:two\n\ndata: cut off\n')).toStrictEqual([
      { id: undefined, event: 'message', data: 'one\ntwo' },
    ]);
  });

  it('tells of all that comes', async () => {
    const onActivity = vi.fn();
    await Array.fromAsync(readSse(bodyOf([new TextEncoder().encode(':\n\n')]), onActivity));
    expect(onActivity).toHaveBeenCalledOnce();
  });
});
