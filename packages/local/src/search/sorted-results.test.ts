import { describe, expect, it } from 'vitest';
import { SortedPaths } from './sorted-paths.ts';
import { SortedResults } from './sorted-results.ts';

/** Every number below `count` once, in an order that is none. */
const shuffled = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => String((index * 7_919) % count).padStart(6, '0'));

describe('SortedPaths', () => {
  it('gives the first of very many', () => {
    const found = new SortedPaths({ offset: 10, limit: 5 });
    const all = shuffled(50_000);
    for (let start = 0; start < all.length; start += 1_000) found.add(all.slice(start, start + 1_000));
    expect(found.take()).toEqual({ paths: ['000010', '000011', '000012', '000013', '000014'], isTruncated: true });
  });

  it('gives all without a limit, and tells the last page', () => {
    const found = new SortedPaths({ offset: 2 });
    found.add(['c', 'a']);
    found.add(['b', 'd']);
    expect(found.take()).toEqual({ paths: ['c', 'd'], isTruncated: false });
  });
});

describe('SortedResults', () => {
  it('counts items and not files, and keeps the order of the items of a file', () => {
    const found = new SortedResults<string>({ offset: 1, limit: 3 });
    found.add('b', ['b1', 'b2']);
    found.add('a', ['a1', 'a2']);
    expect(found.take()).toEqual({ items: ['a2', 'b1', 'b2'], isTruncated: false });
    found.add('c', ['c1']);
    expect(found.take()).toEqual({ items: ['a2', 'b1', 'b2'], isTruncated: true });
  });

  it('says early which files cannot be among the first', () => {
    const found = new SortedResults<string>({ limit: 2 });
    for (const path of shuffled(20_000)) found.add(path, [`${path}.1`, `${path}.2`]);
    expect(found.wants('000000')).toBe(true);
    expect(found.wants('019999')).toBe(false);
    expect(found.take()).toEqual({ items: ['000000.1', '000000.2'], isTruncated: true });
  });

  it('has more where files were left out', () => {
    const found = new SortedResults<string>({ offset: 100_000 });
    found.add('a', ['a']);
    expect(found.take()).toEqual({ items: [], isTruncated: false });
  });
});
