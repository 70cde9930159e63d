import { describe, expect, it } from 'vitest';
import { headOf, wholeBytes } from './byte-text.ts';

describe('headOf', () => {
  it('gives a short text whole', () => {
    expect(headOf('äb\n', 4)).toBe('äb\n');
  });

  it('cuts between code points', () => {
    expect(headOf('a😀b', 4)).toBe('a');
    expect(headOf('a😀b', 5)).toBe('a😀');
  });

  it('ends with a line where one ends in the second half', () => {
    expect(headOf('one\ntwo\nthree', 10)).toBe('one\ntwo\n');
    expect(headOf('o\nthis is a long line', 10)).toBe('o\nthis is ');
  });
});

describe('wholeBytes', () => {
  it('takes nothing rather than half of a code point', () => {
    expect(wholeBytes(Buffer.from('😀'), 3)).toHaveLength(0);
  });
});
