import { describe, expect, it } from 'vitest';
import { decode } from './read-preview.ts';

describe('decode', () => {
  it('gives text', () => {
    expect(decode(new TextEncoder().encode('<b>é</b>'), false)).toBe('<b>é</b>');
  });

  it('leaves out a character that is cut in the middle', () => {
    expect(decode(Uint8Array.of(0x61, 0xc3), true)).toBe('a');
  });

  it.each([
    ['a NUL', Uint8Array.of(0x61, 0)],
    ['what is no UTF-8', Uint8Array.of(0xff, 0xd8)],
    ['half a character at the end', Uint8Array.of(0x61, 0xc3)],
  ])('gives none for %s', (_case, bytes) => {
    expect(decode(bytes, false)).toBeUndefined();
  });
});
