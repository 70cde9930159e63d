import { describe, expect, it } from 'vitest';
import { aroundBackend } from './around-backend.ts';
import type { Backend } from './backend.ts';

const PARAMETERS = [{ one: 1 }, 'two'];

/** Answers every call with its name and what it was given. */
const echo = new Proxy({} as Backend, {
  get: (_target, name) => (name === 'kind' ? 'echo' : async (...given: unknown[]) => [name, ...given]),
});

describe('aroundBackend', () => {
  it('has every call but close() go through, with what it was given', async () => {
    let calls = 0;
    const around = aroundBackend(echo, (work) => {
      calls += 1;
      return work();
    }) as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    const facts = ['kind', 'workdir', 'roots', 'capabilities', 'lockOwner'];
    const names = Object.keys(around).filter((name) => !facts.includes(name));
    for (const name of names) {
      const takes = name === 'endProcesses' || name === 'close' ? [] : PARAMETERS;
      expect(await around[name]?.(...takes)).toStrictEqual([name, ...takes]);
    }
    expect(calls).toBe(names.length - 1);
    expect(aroundBackend(echo, (work) => work()).kind).toBe('echo');
  });

  it('passes on what becomes of the work', async () => {
    const failing = aroundBackend(echo, () => Promise.reject(new Error('not now')));
    await expect(failing.stat('a')).rejects.toThrow('not now');
    expect(await failing.close()).toStrictEqual(['close']);
  });
});
