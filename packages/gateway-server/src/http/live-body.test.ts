import { HEARTBEAT_MS } from '@agent-workspace/gateway-protocol';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LiveBody, type LiveBodyOptions } from './live-body.ts';
import type { Reply } from './reply.ts';

const textOf = ({ body }: Reply): Promise<string> =>
  body instanceof ReadableStream ? text(body) : Promise.resolve(Buffer.concat(body).toString());
const encode = (content: string): Uint8Array => Buffer.from(content);
const make = (options: Partial<LiveBodyOptions> = {}): LiveBody =>
  new LiveBody({
    ...options,
    contentType: 'text/plain',
    alive: encode('alive;'),
    problem: (error) => encode(`problem: ${(error as Error).message};`),
  });

afterEach(() => void vi.useRealTimers());

describe('LiveBody', () => {
  it('is one piece if it is over soon', async () => {
    const body = make();
    const reply = body.reply();
    void body.write(encode('a;'), encode('b;'));
    body.end();
    expect(await textOf(await reply)).toBe('a;b;');
  });

  it('comes as it is written otherwise', async () => {
    const body = make();
    void body.write(encode('a;'));
    const reader = ((await body.reply()).body as ReadableStream<Uint8Array>).getReader();
    const next = async (): Promise<string | undefined> => {
      const { value } = await reader.read();
      return value && Buffer.from(value).toString();
    };
    expect(await next()).toBe('a;');
    void body.write(encode('b;'));
    expect(await next()).toBe('b;');
    body.end();
    expect(await next()).toBeUndefined();
  });

  it('gathers what is sent together: so much of it, or all that comes within the time', async () => {
    vi.useFakeTimers();
    const body = make({ gather: { ms: 5, writes: 2 } });
    const reader = body.stream().getReader();
    const next = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
    void body.write(encode('a;'));
    const first = next();
    void body.write(encode('b;'));
    expect(await first).toBe('a;b;');
    const second = next();
    void body.write(encode('c;'));
    await vi.advanceTimersByTimeAsync(5);
    expect(await second).toBe('c;');
  });

  it('says that it is alive while nothing is written', async () => {
    vi.useFakeTimers();
    const body = make();
    const reply = body.reply();
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS + 10);
    const reader = ((await reply).body as ReadableStream<Uint8Array>).getReader();
    for (let beat = 0; beat < 2; beat++) {
      const read = reader.read();
      await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
      expect(Buffer.from((await read).value ?? []).toString()).toBe('alive;');
    }
  });

  it('fails as a whole before it has begun, and in its own words after that', async () => {
    const early = make();
    void early.write(encode('a;'));
    early.fail(new Error('early'));
    await expect(early.reply()).rejects.toThrow('early');

    const late = make();
    void late.write(encode('a;'));
    const reply = await late.reply();
    late.fail(new Error('late'));
    expect(await textOf(reply)).toBe('a;problem: late;');
  });

  it('lets whoever writes wait for a reader that is slow, until it has gone away', async () => {
    const body = make();
    expect(body.write(encode('a'))).toBeUndefined();
    const reader = ((await body.reply()).body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const written = body.write(new Uint8Array(1024 * 1024));
    expect([body.isFull, written]).toEqual([true, expect.any(Promise)]);
    await reader.read();
    await written;
    const last = body.write(new Uint8Array(1024 * 1024));
    await reader.cancel();
    await last;
    expect(body.isCancelled).toBe(true);
    expect(body.write(new Uint8Array(1024 * 1024))).toBeUndefined();
  });
});
