import { describe, expect, it } from 'vitest';
import { OutputHub } from './output-hub.ts';

const forever = new AbortController().signal;
const FULL = 64;

async function isSettled(promise: Promise<void> | undefined): Promise<boolean> {
  return Promise.race([
    Promise.resolve(promise).then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);
}

describe('OutputHub', () => {
  it('hands each message to all who listen at that moment', async () => {
    const hub = new OutputHub<number>();
    void hub.publish(0);
    const first = hub.listen(forever);
    void hub.publish(1);
    const second = hub.listen(forever);
    void hub.publish(2);
    hub.close();
    expect(await Array.fromAsync(first)).toEqual([1, 2]);
    expect(await Array.fromAsync(second)).toEqual([2]);
    expect(await Array.fromAsync(hub.listen(forever))).toEqual([]);
  });

  it('makes the sender wait for the slowest', async () => {
    const hub = new OutputHub<number>();
    const slow = hub.listen(forever)[Symbol.asyncIterator]();
    const quick = hub.listen(forever)[Symbol.asyncIterator]();
    for (let message = 1; message < FULL; message += 1) expect(hub.publish(message)).toBeUndefined();
    const wait = hub.publish(FULL);
    for (let message = 1; message <= FULL; message += 1) await quick.next();
    expect(await isSettled(wait)).toBe(false);
    expect(await slow.next()).toEqual({ done: false, value: 1 });
    expect(await isSettled(wait)).toBe(true);
  });

  it('does not wait for one who has gone', async () => {
    const hub = new OutputHub<number>();
    const controller = new AbortController();
    const messages = hub.listen(controller.signal);
    for (let message = 1; message < FULL; message += 1) void hub.publish(message);
    const wait = hub.publish(FULL);
    expect(await isSettled(wait)).toBe(false);
    controller.abort();
    expect(await isSettled(wait)).toBe(true);
    expect((await Array.fromAsync(messages)).length).toBe(FULL);
    expect(hub.publish(0)).toBeUndefined();
  });

  it('wakes one who waits, with a message or at the end', async () => {
    const hub = new OutputHub<number>();
    const messages = hub.listen(forever)[Symbol.asyncIterator]();
    const next = messages.next();
    void hub.publish(1);
    expect(await next).toEqual({ done: false, value: 1 });
    const last = messages.next();
    hub.close();
    expect(await last).toEqual({ done: true, value: undefined });
  });
});
