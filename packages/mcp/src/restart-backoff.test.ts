import { afterEach, describe, expect, it, vi } from 'vitest';
import { RestartBackoff } from './restart-backoff.ts';

afterEach(() => void vi.useRealTimers());

describe('RestartBackoff', () => {
  it('[M25] leaves growing gaps: five starts in the first ten seconds', () => {
    let now = 1_000_000;
    const backoff = new RestartBackoff({ now: () => now });
    const starts: number[] = [];
    while (starts.length < 12) {
      starts.push(now - 1_000_000);
      backoff.recordFailure();
      now += backoff.remainingMs;
    }
    expect(starts).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500, 61_500, 91_500, 121_500, 151_500, 181_500]);
    expect(starts.filter((at) => at <= 10_000)).toHaveLength(5);
  });

  it('starts over after a success', () => {
    let now = 0;
    const backoff = new RestartBackoff({ now: () => now });
    backoff.recordFailure();
    backoff.recordFailure();
    expect(backoff.failures).toBe(2);
    expect(backoff.remainingMs).toBe(1000);
    now = 400;
    expect(backoff.remainingMs).toBe(600);
    backoff.recordSuccess();
    expect(backoff.remainingMs).toBe(0);
    backoff.recordFailure();
    expect(backoff.remainingMs).toBe(500);
  });

  it('waits no longer for a clock that is set back, and tells the time by it', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 10_000_000 });
    const backoff = new RestartBackoff();
    backoff.recordFailure();
    vi.setSystemTime(1_000_000);
    expect(backoff.remainingMs).toBeLessThanOrEqual(500);
    expect(backoff.retryAt).toBeGreaterThanOrEqual(1_000_000);
    expect(backoff.retryAt).toBeLessThanOrEqual(1_000_500);
  });
});
