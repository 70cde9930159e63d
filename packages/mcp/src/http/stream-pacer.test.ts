import { describe, expect, it } from 'vitest';
import { StreamPacer } from './stream-pacer.ts';

describe('StreamPacer', () => {
  it('leaves growing gaps while streams end young, and none after one that lived', () => {
    let now = 0;
    const pacer = new StreamPacer(() => now);
    const gapAfter = (lifeMs: number): number => {
      const ended = pacer.opened();
      now += lifeMs;
      ended();
      const { remainingMs } = pacer;
      now += remainingMs;
      return remainingMs;
    };
    expect(pacer.remainingMs).toBe(0);
    expect([0, 0, 10, 999, 0, 0, 0].map(gapAfter)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect([1000, 1000, 0].map(gapAfter)).toEqual([0, 0, 1000]);
  });

  it('waits no longer than its signal lets it', async () => {
    const pacer = new StreamPacer(() => 0);
    expect(await pacer.wait(undefined)).toBe(true);
    for (let count = 0; count < 6; count++) pacer.opened()();
    const controller = new AbortController();
    const waiting = pacer.wait(controller.signal);
    controller.abort();
    expect(await waiting).toBe(false);
  });
});
