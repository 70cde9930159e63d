import { describe, expect, it } from 'vitest';
import { staysInside } from './entry-path.ts';

describe('staysInside', () => {
  it.each([
    ['l', 'a', true],
    ['l', './a/b', true],
    ['l', '.', true],
    ['d/l', '..', true],
    ['d/e/l', '../../a', true],
    ['d/e/l', '../.././a//b', true],
    ['l', '..', false],
    ['d/l', '../..', false],
    ['d/l', '/etc', false],
    ['l', '', false],
    ['l', 'a\0', false],
    // Down through a link of the tree, up would be somewhere else.
    ['d/l', 'x/../y', false],
  ])('a link %s to %s: %s', (path, target, expected) => {
    expect(staysInside(path.split('/'), target)).toBe(expected);
  });
});
