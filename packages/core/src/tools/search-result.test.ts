import { describe, expect, it } from 'vitest';
import type { SearchOutcome } from '../backend/search.ts';
import { entryLimit, type SearchPage, searchResult } from './search-result.ts';

const complete: SearchOutcome = { isTruncated: false, isIncomplete: false, problems: [] };

function result(page: Partial<SearchPage>): {
  state: string;
  text: string;
  metadata: Readonly<Record<string, unknown>>;
} {
  const { state, content, metadata } = searchResult({
    tool: 'Glob',
    input: { pattern: '*' },
    entries: [],
    outcome: complete,
    nothing: 'No files match',
    ...page,
  });
  return { state, text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''), metadata };
}

describe('searchResult', () => {
  it('lists entries', () => {
    expect(result({ entries: ['/a', '/b'] })).toMatchObject({ state: 'success', text: '/a\n/b' });
    expect(result({})).toMatchObject({ state: 'success', text: 'No files match' });
  });

  it('gives the exact next call of a result that was cut', () => {
    const outcome = { ...complete, isTruncated: true };
    const { text, metadata } = result({ entries: ['/a', '/b'], outcome, input: { pattern: '*', offset: 4 } });
    expect(text).toBe('/a\n/b\n\n[Truncated: these are results 5 to 6. There are more: Glob(pattern="*", offset=6)]');
    expect(metadata).toMatchObject({ next_call: { tool: 'Glob', input: { pattern: '*', offset: 6 } } });
  });

  it('cuts what is too long for a model', () => {
    const { text, metadata } = result({ entries: Array.from({ length: 300 }, () => 'x'.repeat(999)) });
    expect(text.length).toBeLessThan(100_200);
    expect(metadata).toMatchObject({ count: 100, is_truncated: true });
  });

  it('never says that there is nothing when it could not look everywhere', () => {
    const outcome = { isTruncated: false, isIncomplete: true, problems: ['/p: permission denied', 'timed out'] };
    const nothing = result({ outcome });
    expect(nothing.state).toBe('error');
    expect(nothing.text).toBe('Found nothing so far. The search is incomplete:\n- /p: permission denied\n- timed out');
    const some = result({ outcome, entries: ['/a'] });
    expect(some.state).toBe('success');
    expect(some.text).toBe('/a\n\n[The search is incomplete:\n- /p: permission denied\n- timed out]');
  });

  it('tells an end of the list from an empty one', () => {
    expect(result({ input: { pattern: '*', offset: 9 } }).text).toBe('There is nothing past offset 9.');
  });
});

describe('entryLimit', () => {
  it('has a default, and a bound for "all"', () => {
    expect([entryLimit(undefined), entryLimit(3), entryLimit(0), entryLimit(1e9)]).toEqual([250, 3, 10_000, 10_000]);
  });
});
