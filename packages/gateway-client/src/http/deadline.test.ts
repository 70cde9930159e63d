import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline } from './deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a deadline', () => {
  it('aborts with gateway-timeout when its time is over, unless it was disposed of', () => {
    const deadline = new Deadline({ operation: 'test', timeoutMs: 100 });
    const disposed = new Deadline({ operation: 'test', timeoutMs: 100 });
    disposed[Symbol.dispose]();
    vi.advanceTimersByTime(99);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toMatchObject({
      code: 'gateway-timeout',
      details: { operation: 'test', timeoutMs: 100 },
    });
    expect(disposed.signal.aborted).toBe(false);
  });

  it('begins anew with each piece of what is sent', async () => {
    using deadline = new Deadline({ operation: 'test', timeoutMs: 100 });
    async function* pieces(): AsyncGenerator<number> {
      for (const piece of [1, 2, 3]) {
        vi.advanceTimersByTime(60);
        yield piece;
      }
    }
    expect(await Array.fromAsync(deadline.restartedBy(pieces()))).toEqual([1, 2, 3]);
    vi.advanceTimersByTime(99);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.aborted).toBe(true);
  });
});
