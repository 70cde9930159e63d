import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallRegistry } from './call-registry.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const connected = (): AbortSignal => new AbortController().signal;

describe('CallRegistry', () => {
  it('cancels a call by its id, and no other', () => {
    const calls = new CallRegistry();
    using one = calls.begin('one', connected());
    using two = calls.begin('two', connected());
    calls.cancel('one');
    expect(one.signal.aborted).toBe(true);
    expect(two.signal.aborted).toBe(false);
  });

  it('cancels a call whose connection is dropped, and says why', () => {
    const calls = new CallRegistry();
    const connection = new AbortController();
    using call = calls.begin('one', connection.signal);
    connection.abort('gone');
    expect(call.signal.reason).toBe('gone');
  });

  it('needs no id for that', () => {
    const calls = new CallRegistry();
    const connection = new AbortController();
    using call = calls.begin(undefined, connection.signal);
    connection.abort();
    expect(call.signal.aborted).toBe(true);
  });

  it('forgets a call that is over', () => {
    const calls = new CallRegistry();
    calls.begin('one', connected())[Symbol.dispose]();
    expect(calls.size).toBe(0);
  });

  it('aborts all calls, and waits for them to be over', async () => {
    const calls = new CallRegistry();
    const one = calls.begin('one', connected());
    const two = calls.begin(undefined, connected());
    let isOver = false;
    const aborted = calls.abortAll().then(() => (isOver = true));
    expect([one.signal.aborted, two.signal.aborted]).toEqual([true, true]);
    one[Symbol.dispose]();
    await Promise.resolve();
    expect(isOver).toBe(false);
    two[Symbol.dispose]();
    await aborted;
  });

  it('aborts what runs and what comes when it is closed', () => {
    const calls = new CallRegistry();
    using early = calls.begin('one', connected());
    calls.close();
    using late = calls.begin('two', connected());
    expect([early.signal.aborted, late.signal.aborted]).toEqual([true, true]);
  });

  it('cancels a call that comes after its cancellation, once', () => {
    const calls = new CallRegistry();
    calls.cancel('one');
    using first = calls.begin('one', connected());
    using second = calls.begin('one', connected());
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
  });

  it('forgets cancellations of calls that never come', () => {
    const calls = new CallRegistry();
    calls.cancel('old');
    vi.advanceTimersByTime(30_000);
    using late = calls.begin('old', connected());
    expect(late.signal.aborted).toBe(false);
    for (let index = 0; index <= 1000; index++) calls.cancel(`${index}`);
    using first = calls.begin('0', connected());
    using last = calls.begin('1000', connected());
    expect([first.signal.aborted, last.signal.aborted]).toEqual([false, true]);
  });
});
