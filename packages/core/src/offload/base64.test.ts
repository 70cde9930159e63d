import { describe, expect, it } from 'vitest';
import { decodeBase64 } from './base64.ts';

describe('decodeBase64', () => {
  it.each(['aGVsbG8=', 'aGVsbG8', 'aGVs\nbG8=', ' aGVs bG8= '])('decodes %j', (data) => {
    expect(decodeBase64(data).toString()).toBe('hello');
  });

  it.each([
    ['', 'empty'],
    ['==', 'empty'],
    ['!!!', '"!" at position 0'],
    ['aGVs-bG8', '"-" at position 4'],
    ['a=Vs', '"="'],
    ['aGVsb', 'end is missing'],
    ['data:image/png;base64,aGVs', 'leave the'],
  ])('refuses %j', (data, reason) => {
    expect(() => decodeBase64(data)).toThrow(reason);
  });
});
