import { describe, expect, it } from 'vitest';
import { cutLine } from './cut-line.ts';

describe('cutLine', () => {
  it.each([
    ['0123456789', 5, 10, '0123456789', false],
    ['0123456789abcdefghij', 10, 8, '89abcdef', true],
    ['0123456789abcdefghij', 0, 8, '01234567', true],
    ['0123456789abcdefghij', 19, 8, 'cdefghij', true],
    ['0123456789abcdefghij', undefined, 8, '01234567', true],
    ['ääää', 4, 3, 'ä', true],
    ['💡💡💡', undefined, 7, '💡', true],
  ])('%s at %s in %d bytes', (line, column, maxBytes, text, isCut) => {
    const bytes = Buffer.from(`before ${line} after`);
    const range = { start: 7, end: bytes.byteLength - 6, column };
    expect(cutLine(bytes, range, maxBytes)).toEqual({ text, isCut });
  });
});
