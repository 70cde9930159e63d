import { describe, expect, it } from 'vitest';
import { countCodePoints, cutText, endOfFirst, startOfLast, wholeEnd, wholeStart } from './code-points.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('cutText', () => {
  it('keeps surrogate pairs whole', () => {
    expect(cutText('a😀b', 2)).toBe('a');
    expect(cutText('a😀b', 3)).toBe('a😀');
    expect(cutText('a😀b', 4)).toBe('a😀b');
    expect(cutText('😀', 1)).toBe('');
  });
});

describe('wholeEnd and wholeStart', () => {
  it('leave out the parts of a code point that was cut', () => {
    const text = bytes('é日😀');
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(text.subarray(0, wholeEnd(text.subarray(0, cut))).toString()).not.toContain('\u{FFFD}');
      const end = text.subarray(cut);
      expect(end.subarray(wholeStart(end)).toString()).not.toContain('\u{FFFD}');
    }
    expect(wholeEnd(text)).toBe(text.length);
    expect(wholeStart(text)).toBe(0);
  });

  it('leave bytes alone that are no UTF-8', () => {
    expect(wholeEnd(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80))).toBe(5);
    expect(wholeEnd(new Uint8Array())).toBe(0);
  });
});

describe('endOfFirst and startOfLast', () => {
  it('count code points from either end', () => {
    const text = bytes('aé日😀b');
    expect(text.subarray(0, endOfFirst(text, 3)).toString()).toBe('aé日');
    expect(text.subarray(startOfLast(text, 3)).toString()).toBe('日😀b');
    expect(endOfFirst(text, 9)).toBe(text.length);
    expect(startOfLast(text, 9)).toBe(0);
    expect(countCodePoints(text)).toBe(5);
  });
});
