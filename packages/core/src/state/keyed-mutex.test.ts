import { describe, expect, it } from 'vitest';
import { KeyedMutex } from './keyed-mutex.ts';

describe('KeyedMutex', () => {
  it('runs work of one key one at a time, in order, also past a failure', async () => {
    const mutex = new KeyedMutex();
    const log: string[] = [];
    const work = (name: string, fails = false): Promise<void> =>
      mutex.run('key', async () => {
        log.push(`${name} begins`);
        await Promise.resolve();
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
      });
    const outcomes = await Promise.allSettled([work('a'), work('b', true), work('c')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('lets other keys run meanwhile', async () => {
    const mutex = new KeyedMutex();
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = mutex.run('one', () => promise);
    expect(await mutex.run('two', async () => 'done')).toBe('done');
    resolve();
    await held;
  });
});
