import { describe, expect, it } from 'vitest';
import { isGoRecent } from './requirements.ts';

describe('isGoRecent', () => {
  it.each([
    ['go1.24.0', true],
    ['go1.26.8', true],
    ['go2.0', true],
    ['go1.19.8', false],
    ['devel +abc', true],
  ])('%s: %s', (version, expected) => {
    expect(isGoRecent(version)).toBe(expected);
  });
});
