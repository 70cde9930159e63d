import { describe, expect, it } from 'vitest';
import { waitUntil } from './wait-until.ts';

describe('waitUntil', () => {
  it('asks again after a no and after a failure', async () => {
    let asked = 0;
    await waitUntil('it is there', 10_000, async () => {
      asked += 1;
      if (asked === 1) throw new Error('refused');
      return asked === 3;
    });
    expect(asked).toBe(3);
  });

  it('says at the end what failed last', async () => {
    const refuse = (): Promise<boolean> => Promise.reject(new Error('refused'));
    await expect(waitUntil('it is there', 0, refuse)).rejects.toThrow('until it is there, in vain: refused');
  });
});
