import { describe, expect, it } from 'vitest';
import { Change } from './change.ts';

describe('Change', () => {
  it('lets everyone look again who waits for something else', async () => {
    const change = new Change();
    let value = 0;
    const waits = [1, 2].map((wanted) => change.until(() => value >= wanted).then(() => wanted));
    value = 1;
    change.notify();
    expect(await Promise.race(waits)).toBe(1);
    value = 2;
    change.notify();
    expect(await Promise.all(waits)).toEqual([1, 2]);
  });

  it('waits no longer than it is told to', async () => {
    const change = new Change();
    await change.until(() => false, { waitMs: 0 });
    await change.until(() => false, { waitMs: 5 });
    await change.until(() => false, { signal: AbortSignal.abort() });
    const controller = new AbortController();
    const aborted = change.until(() => false, { signal: controller.signal });
    controller.abort();
    await expect(aborted).resolves.toBeUndefined();
  });
});
