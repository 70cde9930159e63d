import { describe, expect, it } from 'vitest';
import { matchesMetadata, parseMetadataFilter } from './metadata-filter.ts';

describe('parseMetadataFilter', () => {
  it('decodes the whole, then each part', () => {
    expect(parseMetadataFilter('a%2520key=v%2526%253D%25C3%25A9&b=')).toEqual(
      new Map([
        ['a key', 'v&=é'],
        ['b', ''],
      ]),
    );
  });

  it('is empty for nothing', () => {
    expect(parseMetadataFilter('')).toEqual(new Map());
  });

  it.each(['alone', 'a=b=c', '%ZZ=1'])('refuses %s', (encoded) => {
    expect(() => parseMetadataFilter(encoded)).toThrow('Error parsing metadata');
  });
});

describe('matchesMetadata', () => {
  it('wants every pair, exactly', () => {
    const metadata = { a: '1', b: '2' };
    expect(matchesMetadata(metadata, new Map([['a', '1']]))).toBe(true);
    expect(matchesMetadata(metadata, new Map(Object.entries({ a: '1', b: '3' })))).toBe(false);
    expect(matchesMetadata(metadata, new Map([['toString', '']]))).toBe(false);
  });
});
