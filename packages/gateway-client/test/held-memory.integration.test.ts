import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Dispatcher } from 'undici';
import { CONTENT_TYPES } from '@agent-workspace/gateway-protocol';
import { expect, it } from 'vitest';
import { GatewayBackend } from '../src/index.ts';
import { atMost } from '../src/http/answers.ts';
import { exchange } from '../src/http/exchange.ts';
import { readLines } from '../src/http/read-lines.ts';
import { HostilePeer } from './hostile-peer.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MIB = 1024 * 1024;
const CHUNKS = 50;
/** The last one is still in the hands of who has taken it. */
const MAX_IN_HAND = 2;

/** An answer a byte at a time, each byte a view of a whole read, as an HTTP client gives them. */
class TinyChunks {
  readonly #reads: WeakRef<ArrayBuffer>[] = [];
  readonly #end = Promise.withResolvers<void>();
  readonly #all = Promise.withResolvers<void>();

  next(): Buffer<ArrayBuffer> {
    const read = Buffer.allocUnsafeSlow(64 * 1024).fill('7');
    this.#reads.push(new WeakRef(read.buffer));
    if (this.#reads.length === CHUNKS) this.#all.resolve();
    return read.subarray(10, 11);
  }

  async *body(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < CHUNKS; count++) yield this.next();
    await this.#end.promise;
  }

  /** How many of the reads are in memory when all chunks have been taken. */
  async inMemory(): Promise<number> {
    await this.#all.promise;
    await setImmediate();
    collectGarbage();
    return this.#reads.filter((read) => read.deref() !== undefined).length;
  }

  end(): void {
    this.#end.resolve();
  }
}

const whole = '7'.repeat(CHUNKS);

it('a body that is taken as a whole keeps its own bytes alone', async () => {
  const chunks = new TinyChunks();
  const taken = atMost(chunks.body(), 1_000, 'test');
  expect(await chunks.inMemory()).toBeLessThanOrEqual(MAX_IN_HAND);
  chunks.end();
  expect(Buffer.from(await taken).toString()).toBe(whole);
});

it('a line that is not whole yet keeps its own bytes alone', async () => {
  const chunks = new TinyChunks();
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* chunks.body();
    yield Buffer.from('\n');
  }
  const lines = Array.fromAsync(readLines(body(), { maxLineBytes: 1_000, invalid: (reason) => new Error(reason) }));
  expect(await chunks.inMemory()).toBeLessThanOrEqual(MAX_IN_HAND);
  chunks.end();
  expect(await lines).toEqual([Number(whole)]);
});

it('an answer that is not whole yet keeps its own bytes alone', async () => {
  const chunks = new TinyChunks();
  const controller = {} as Dispatcher.DispatchController;
  const { promise, resolve } = Promise.withResolvers<Dispatcher.DispatchHandler>();
  const dispatcher = {
    dispatch(_options: unknown, handler: Dispatcher.DispatchHandler) {
      handler.onResponseStart?.(controller, 200, {});
      for (let count = 0; count < CHUNKS; count++) handler.onResponseData?.(controller, chunks.next());
      resolve(handler);
      return true;
    },
  } as unknown as Dispatcher;
  const request = { operation: 'test', method: 'GET', path: '/', timeoutMs: 60_000, maxBytes: 1_000 } as const;
  const answer = exchange(dispatcher, request, {});
  expect(await chunks.inMemory()).toBeLessThanOrEqual(MAX_IN_HAND);
  (await promise).onResponseEnd?.(controller, {});
  expect(Buffer.from((await answer).bytes).toString()).toBe(whole);
});

it('a stream whose reader is slow keeps its own bytes alone', async () => {
  const sent = Promise.withResolvers<void>();
  await using peer = await HostilePeer.start((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${CONTENT_TYPES.bytes}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const chunk = Buffer.from(`1;${'e'.repeat(60_000)}\r\n7\r\n`);
    let count = 0;
    const more = (): void => {
      if (count++ < 500) socket.write(chunk, more);
      else sent.resolve();
    };
    more();
  });
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const backend = new GatewayBackend({ client: peer.client({ deadlines: {} }), kind: 'test', workdir: '/workspace' });
  const reader = (await backend.openRead('/a')).getReader();
  expect((await reader.read()).value).toHaveLength(1);
  await sent.promise;
  // The peer's 30 MB were read, and 500 bytes of them are content.
  await expect
    .poll(() => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers - before;
    })
    .toBeLessThan(10 * MIB);
  await reader.cancel();
});
