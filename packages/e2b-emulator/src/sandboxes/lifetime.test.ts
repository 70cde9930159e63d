import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lifetime } from './lifetime.ts';

describe('the time of a sandbox', () => {
  const onEnd = vi.fn<() => void>();
  let lifetime: Lifetime;
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
    onEnd.mockClear();
    lifetime = new Lifetime(onEnd);
    lifetime.start(10_000);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('ends when it is over', () => {
    vi.advanceTimersByTime(9_999);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onEnd).toHaveBeenCalledTimes(1);
  });

  it('is set longer or shorter, but only extended to be longer', () => {
    vi.advanceTimersByTime(1_000);
    lifetime.extend(5_000);
    expect(lifetime.endAt.getTime()).toBe(1_010_000);
    lifetime.extend(60_000);
    expect(lifetime.endAt.getTime()).toBe(1_061_000);
    lifetime.setRemaining(2_000);
    expect([lifetime.startedAt.getTime(), lifetime.endAt.getTime()]).toEqual([1_000_000, 1_003_000]);
    vi.advanceTimersByTime(2_000);
    expect(onEnd).toHaveBeenCalledTimes(1);
  });

  it('stands still until it begins anew', () => {
    lifetime.stop();
    vi.advanceTimersByTime(100_000);
    expect(onEnd).not.toHaveBeenCalled();
    lifetime.start(5_000);
    expect(lifetime.startedAt.getTime()).toBe(1_100_000);
    vi.advanceTimersByTime(5_000);
    expect(onEnd).toHaveBeenCalledTimes(1);
  });

  it('may be longer than a timer can be', () => {
    const fortyDaysMs = 40 * 86_400_000;
    lifetime.setRemaining(fortyDaysMs);
    vi.advanceTimersByTime(fortyDaysMs - 1);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onEnd).toHaveBeenCalledTimes(1);
  });
});
