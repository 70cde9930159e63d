import { describe, expect, it } from 'vitest';
import { decodeUtf8, firstInvalidByte, splitMark } from './decode-text.ts';

describe('firstInvalidByte', () => {
  it('finds the first byte that does not fit', () => {
    expect(firstInvalidByte(Buffer.from('aé日😀'))).toBeUndefined();
    expect(firstInvalidByte(Uint8Array.of(0x61, 0xc3, 0xa9, 0xff))).toBe(3);
    expect(firstInvalidByte(Uint8Array.of(0xc4, 0xe3))).toBe(0);
    expect(firstInvalidByte(Uint8Array.of(0x61, 0xe6, 0x97))).toBe(1);
    expect(firstInvalidByte(Uint8Array.of(0xed, 0xa0, 0x80))).toBe(0);
  });

  it('does not take a replacement character of the text itself for a fault', () => {
    expect(firstInvalidByte(Buffer.from('a\u{FFFD}b'))).toBeUndefined();
    expect(firstInvalidByte(Buffer.concat([Buffer.from('\u{FFFD}é'), Buffer.of(0x80)]))).toBe(5);
  });
});

describe('decodeUtf8', () => {
  it('names the byte and its place in the file', () => {
    const decode = (): string => decodeUtf8(Uint8Array.of(0x61, 0xfa), { path: '/f', offset: 100 });
    expect(decode).toThrow('/f is not valid UTF-8 text (byte 0xFA at offset 101 does not fit)');
  });

  it('knows UTF-16 by its byte order mark', () => {
    expect(() => decodeUtf8(Uint8Array.of(0xfe, 0xff, 0, 0x61), { path: '/f' })).toThrow('UTF-16BE');
  });

  it('leaves a byte order mark in the text, for splitMark to take off', () => {
    const text = decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), { path: '/f' });
    expect(splitMark(text)).toEqual({ mark: '\u{FEFF}', text: 'a' });
    expect(splitMark('a')).toEqual({ mark: '', text: 'a' });
  });
});
