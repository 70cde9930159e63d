import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { afterMs } from './after-ms.ts';

describe('afterMs', () => {
  const callback = vi.fn<() => void>();
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    callback.mockReset();
  });

  it('calls back after the time', () => {
    afterMs(60_000, callback);
    vi.advanceTimersByTime(59_999);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledOnce();
  });

  it('can be called off', () => {
    const timer = afterMs(1_000, callback);
    vi.advanceTimersByTime(700);
    timer[Symbol.dispose]();
    vi.advanceTimersByTime(2_000);
    expect(callback).not.toHaveBeenCalled();
  });

  it('does not count what was a pause, but what was a busy moment', () => {
    let lateMs = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs);
    afterMs(2_000, callback);
    vi.advanceTimersByTime(499);
    lateMs += 3_600_000;
    vi.advanceTimersByTime(1_500);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledOnce();

    afterMs(2_000, callback);
    vi.advanceTimersByTime(499);
    lateMs += 700;
    vi.advanceTimersByTime(801);
    expect(callback).toHaveBeenCalledTimes(2);
  });
});
