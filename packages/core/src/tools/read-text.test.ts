import { describe, expect, it } from 'vitest';
import { MAX_PAGE_BYTES, showLines } from './read-text.ts';

describe('the call for the rest of a line that is cut', () => {
  it.each([
    { length: 1, byteLimit: 4 },
    { length: 3, byteLimit: 4 },
    { length: 5, byteLimit: 5 },
    { length: MAX_PAGE_BYTES + 1, byteLimit: MAX_PAGE_BYTES },
  ])('asks for as many bytes as Read takes: $byteLimit where $length are left', ({ length, byteLimit }) => {
    const page = { lines: [{ number: 1, text: 'x', rest: { offset: 2_000, length } }], total: 1 };
    expect(showLines(page, { path: '/f', limit: undefined }).text).toBe(
      `     1\tx [… this line has ${length} more bytes: Read(file_path="/f", byte_offset=2000, byte_limit=${byteLimit})]`,
    );
  });
});
