import { describe, expect, it } from 'vitest';
import { CallQueue } from './call-queue.ts';

describe('CallQueue', () => {
  it('lets so many run at a time, in their order, failed ones too', async () => {
    const queue = new CallQueue(2);
    const begun: number[] = [];
    const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const calls = ends.map(({ promise }, index) =>
      queue.run(async () => {
        begun.push(index);
        await promise;
        return index;
      }),
    );
    const settled = Promise.allSettled(calls);
    expect(begun).toEqual([0, 1]);
    ends[1]?.reject(new Error('away'));
    await expect(calls[1]).rejects.toThrow('away');
    await expect.poll(() => begun).toEqual([0, 1, 2]);
    for (const { resolve } of ends) resolve();
    expect((await settled).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });
});
