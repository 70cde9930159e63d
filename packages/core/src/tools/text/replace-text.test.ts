import { describe, expect, it } from 'vitest';
import { replaceText } from './replace-text.ts';

function replaced(source: string, oldText: string, newText: string, replaceAll = false): unknown {
  const result = replaceText(source, { oldText, newText, replaceAll });
  return result.kind === 'replaced' ? result.text : result;
}

describe('replaceText', () => {
  it('takes both texts literally', () => {
    expect(replaced('a.c abc', 'a.c', '$&$1$$')).toBe('$&$1$$ abc');
    expect(replaced('x', 'x', '$`', true)).toBe('$`');
  });

  it('counts overlapping places', () => {
    const result = replaceText('aaa', { oldText: 'aa', newText: 'b', replaceAll: false });
    expect(result).toEqual({ kind: 'ambiguous', count: 2, isMore: false, lines: [1, 1] });
    expect(replaced('aaaa', 'aa', 'b', true)).toBe('bb');
  });

  it('stops counting where the exact number no longer matters', () => {
    const result = replaceText('a'.repeat(5_000), { oldText: 'a', newText: 'b', replaceAll: false });
    expect(result).toMatchObject({ kind: 'ambiguous', count: 1_000, isMore: true });
  });

  it('says where the first replacement is in the new text', () => {
    const result = replaceText('one two one', { oldText: 'one', newText: 'three', replaceAll: true });
    expect(result).toMatchObject({ text: 'three two three', count: 2, start: 0 });
    expect(replaceText('a\nb', { oldText: 'b', newText: 'xyz', replaceAll: false })).toMatchObject({
      start: 2,
      end: 5,
    });
  });

  it('matches across CRLF and puts in the line end of the place', () => {
    expect(replaced('a\r\nb\r\nc', 'a\nb', 'a\nx\nb')).toBe('a\r\nx\r\nb\r\nc');
    expect(replaced('a\r\nb', 'b', 'b\nc\n')).toBe('a\r\nb\r\nc\r\n');
    expect(replaced('a\nb\r\nc', 'a', 'a\nx')).toBe('a\nx\nb\r\nc');
    expect(replaced('a\nb\r\nc', 'b', 'b\nx')).toBe('a\nb\r\nx\r\nc');
  });

  it('leaves the line ends alone that it does not change', () => {
    expect(replaced('a\nb\r\nc\nd', 'a\nb\nc\nd', 'a\nb\nC\nd')).toBe('a\nb\r\nC\nd');
    expect(replaced('a\r\nb\nc\r\n', 'a\nb\nc\n', 'a\nc\n')).toBe('a\r\nc\r\n');
  });

  it('never parts a carriage return from its line feed', () => {
    expect(replaced('a\r\nb\r\n', '\nb', 'c')).toBe('ac\r\n');
    expect(replaced('a\r\nb\r\n', 'a\n', '')).toBe('b\r\n');
    expect(replaced('a\r\nb\r\n', '\n', ' ', true)).toBe('a b ');
  });

  it('takes an old text with carriage returns for the bytes, where the file has them', () => {
    expect(replaced('a\r\nb\r\n', 'a\r\n', 'a\n')).toBe('a\nb\r\n');
    expect(replaced('a\r\nb', 'a\r\nb', 'a\r\nx\nb')).toBe('a\r\nx\nb');
  });

  it('takes it as shown where the file has none', () => {
    expect(replaced('a\nb\n', 'a\r\nb', 'a\r\nx\r\nb')).toBe('a\nx\nb\n');
    expect(replaced('a\nb\n', 'a\r\n', 'a\n')).toBe('a\nb\n');
  });

  it('puts CRLF into a file of LF where that is asked for', () => {
    expect(replaced('a\nb\n', 'a\n', 'a\r\n')).toBe('a\r\nb\n');
    expect(replaced('a\nb\r\n', 'b', 'x\r\ny')).toBe('a\nx\r\ny\r\n');
  });

  it('keeps characters whole that share half of their code', () => {
    expect(replaced('😀', '😀', '😁')).toBe('😁');
  });

  it('replaces many places on one long line quickly', () => {
    const source = `x\r\n${'ab'.repeat(200_000)}`;
    const startedAt = performance.now();
    expect(replaced(source, 'b', '\n', true)).toBe(`x\r\n${'a\r\n'.repeat(200_000)}`);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('says when there is no such text', () => {
    expect(replaced('a', 'b', 'c')).toEqual({ kind: 'not-found' });
  });
});
