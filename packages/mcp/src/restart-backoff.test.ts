import { describe, expect, it } from 'vitest';
import { RestartBackoff } from './restart-backoff.ts';

describe('RestartBackoff', () => {
  it('[M25] leaves growing gaps: five starts in the first ten seconds', () => {
    let now = 1_000_000;
    const backoff = new RestartBackoff(() => now);
    const starts: number[] = [];
    while (starts.length < 12) {
      starts.push(now - 1_000_000);
      backoff.recordFailure();
      now = backoff.retryAt;
    }
    expect(starts).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500, 61_500, 91_500, 121_500, 151_500, 181_500]);
    expect(starts.filter((at) => at <= 10_000)).toHaveLength(5);
  });

  it('starts over after a success', () => {
    let now = 0;
    const backoff = new RestartBackoff(() => now);
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
});
