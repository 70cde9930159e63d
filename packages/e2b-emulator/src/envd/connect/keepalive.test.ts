import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readKeepaliveMs, withKeepalive } from './keepalive.ts';

describe('readKeepaliveMs', () => {
  it('is what the client asks for in seconds, else 90 s', () => {
    expect(readKeepaliveMs({ 'keepalive-ping-interval': '50' })).toBe(50_000);
    for (const interval of [undefined, '', '0', '-5', 'often']) {
      expect(readKeepaliveMs({ 'keepalive-ping-interval': interval })).toBe(90_000);
    }
  });
});

describe('withKeepalive', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('speaks after each silent interval, which begins anew with each message', async () => {
    const pauses = [900, 2_500, 0];
    async function* messages(): AsyncGenerator<string, void> {
      for (const pause of pauses) {
        await new Promise((resolve) => void setTimeout(resolve, pause));
        yield `after ${pause}`;
      }
    }
    const seen = Array.fromAsync(withKeepalive(messages(), 1_000, 'alive'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await seen).toEqual(['after 900', 'alive', 'alive', 'after 2500', 'after 0']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends what it reads from when nobody reads from it any more', async () => {
    let hasEnded = false;
    async function* messages(): AsyncGenerator<string, void> {
      try {
        for (;;) yield 'x';
      } finally {
        hasEnded = true;
      }
    }
    for await (const message of withKeepalive(messages(), 1_000, 'alive')) if (message === 'x') break;
    expect(hasEnded).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});
