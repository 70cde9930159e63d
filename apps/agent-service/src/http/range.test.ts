import { describe, expect, it } from 'vitest';
import { parseRange } from './range.ts';

describe('parseRange', () => {
  it.each([
    ['bytes=0-4', { first: 0, last: 4 }],
    ['bytes=5-', { first: 5, last: 9 }],
    ['bytes=5-99', { first: 5, last: 9 }],
    ['bytes=-3', { first: 7, last: 9 }],
    ['bytes=-99', { first: 0, last: 9 }],
    [undefined, undefined],
    ['bytes=-', undefined],
    ['bytes=4-2', undefined],
    ['bytes=0-1,3-4', undefined],
    ['lines=1-2', undefined],
  ])('of ten bytes takes %s for %j', (header, range) => {
    expect(parseRange(header, 10)).toEqual(range);
  });

  it.each([
    ['bytes=10-', 10],
    ['bytes=-0', 10],
    ['bytes=0-', 0],
  ])('has nothing to give for %s of %i bytes', (header, size) => {
    expect(() => parseRange(header, size)).toThrow(expect.objectContaining({ code: 'range-not-satisfiable' }) as Error);
  });
});
