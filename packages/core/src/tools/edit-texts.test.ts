import { describe, expect, it } from 'vitest';
import { notFoundText, snippet } from './edit-texts.ts';

const lines = (text: string): readonly string[] => text.split('\n').map((line) => line.trimStart());

describe('snippet', () => {
  it('shows three lines around a change, numbered as Read numbers them', () => {
    const text = Array.from({ length: 9 }, (_, index) => `l${index + 1}\r\n`).join('');
    const start = text.indexOf('l5');
    expect(lines(snippet(text, start, start + 2))).toEqual([
      '2\tl2',
      '3\tl3',
      '4\tl4',
      '5\tl5',
      '6\tl6',
      '7\tl7',
      '8\tl8',
    ]);
  });

  it('copes with the ends of a text', () => {
    expect(lines(snippet('a\nb', 0, 1))).toEqual(['1\ta', '2\tb']);
    expect(lines(snippet('\n\nb', 0, 0))).toEqual(['1\t', '2\t', '3\tb']);
    expect(lines(snippet('a\nb\n', 4, 4))).toEqual(['1\ta', '2\tb']);
    expect(snippet('', 0, 0)).toBe('(the file is empty now)');
  });

  it('stays small', () => {
    const text = `${'x'.repeat(1_000)}\n`.repeat(100);
    const shown = snippet(text, 0, text.length);
    expect(lines(shown)).toHaveLength(20);
    expect(shown.length).toBeLessThan(20 * 220);
  });
});

describe('notFoundText', () => {
  it('names the likely reason', () => {
    const notFound = (oldText: string): string => notFoundText('a\n  b c\n', { path: '/f', oldText });
    expect(notFound('     2\t  b c')).toContain('line numbers');
    expect(notFound('\tb c')).toContain('Line 2 has it with other white space');
    expect(notFound('  ')).toContain('copy the text exactly');
    expect(notFound('z')).toContain('/f, so nothing was changed');
  });
});
