import { silentLogger } from '@agent-workspace/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Life } from './life.ts';

const TIMEOUT_MS = 300_000;

describe('the life of a sandbox', () => {
  let isInUse: boolean;
  let renewals: number[];
  let life: Life;
  let begin: number;

  beforeEach(() => {
    vi.useFakeTimers();
    isInUse = false;
    renewals = [];
    begin = Date.now();
    life = new Life({
      timeoutMs: TIMEOUT_MS,
      isInUse: () => isInUse,
      async renew() {
        renewals.push(Date.now() - begin);
        life.grantedAt(Date.now());
      },
      logger: silentLogger,
    });
    life.grantedAt(begin);
    life.start();
  });

  afterEach(() => {
    life.stop();
    vi.useRealTimers();
  });

  it('is renewed by one timer while it is in use, and has most of it left at all times', async () => {
    isInUse = true;
    life.start();
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(renewals).toStrictEqual([75_000, 150_000, 225_000, 300_000, 375_000, 450_000, 525_000, 600_000]);
  });

  it('is never renewed while it is idle [E10]', async () => {
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS * 3);
    expect(renewals).toStrictEqual([]);
    expect(life.isOver).toBe(true);
  });

  it('is renewed soon after its use begins late', async () => {
    await vi.advanceTimersByTimeAsync(280_000);
    isInUse = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(renewals).toStrictEqual([285_000]);
  });

  it('is waked by a use that begins after its end, or right before it, and by one call alone', async () => {
    await vi.advanceTimersByTimeAsync(100_000);
    await life.wake();
    expect(renewals).toStrictEqual([]);
    await vi.advanceTimersByTimeAsync(191_000);
    await Promise.all([life.wake(), life.wake()]);
    expect(renewals).toStrictEqual([291_000]);
    expect(life.isOver).toBe(false);
  });

  it('tries again where a renewal fails', async () => {
    let failures = 2;
    life.stop();
    life = new Life({
      timeoutMs: TIMEOUT_MS,
      isInUse: () => true,
      async renew() {
        renewals.push(Date.now() - begin);
        if (failures-- > 0) throw new Error('busy');
        life.grantedAt(Date.now());
      },
      logger: silentLogger,
    });
    life.grantedAt(begin);
    life.start();
    await vi.advanceTimersByTimeAsync(90_000);
    expect(renewals).toStrictEqual([75_000, 80_000, 85_000]);
  });
});
