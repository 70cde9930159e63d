import { describe, expect, it, vi } from 'vitest';
import { lazy } from './lazy.ts';

describe('lazy', () => {
  it('makes a value when it is first asked for, and no other', () => {
    const make = vi.fn(() => undefined);
    const value = lazy(make);
    expect(make).not.toHaveBeenCalled();
    expect([value(), value()]).toEqual([undefined, undefined]);
    expect(make).toHaveBeenCalledOnce();
  });

  it('tries again after a failure', () => {
    const make = vi
      .fn(() => 1)
      .mockImplementationOnce(() => {
        throw new Error('not yet');
      });
    const value = lazy(make);
    expect(value).toThrow('not yet');
    expect(value()).toBe(1);
  });
});
