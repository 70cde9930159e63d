import { describe, expect, it } from 'vitest';
import { nameFilter } from './name-filter.ts';

const NAMES = ['Read', 'Bash', 'files__read', 'files__write', 'web.search'];

describe('nameFilter', () => {
  it.each([
    [undefined, NAMES],
    [[], []],
    [['Read', 'Nothing'], ['Read']],
    [['files__*'], ['files__read', 'files__write']],
    [
      ['*__read', 'Bash'],
      ['Bash', 'files__read'],
    ],
    [['*'], NAMES],
    [['web?search', 'web.search'], ['web.search']],
    [['R'], []],
  ])('%j', (patterns, expected) => {
    expect(NAMES.filter(nameFilter(patterns))).toStrictEqual(expected);
  });
});
