import { describe, expect, it } from 'vitest';
import { extractLines } from './extract-lines.ts';

describe('extractLines', () => {
  it.each([
    ['a\nb\nc', {}, 'a\nb\nc'],
    ['a\nb\nc', { startLine: 2 }, 'b\nc'],
    ['a\nb\nc', { startLine: 2, endLine: 2 }, 'b'],
    ['a\nb\nc', { endLine: 99 }, 'a\nb\nc'],
    ['a\nb\n', { startLine: 1, endLine: 2 }, 'a\nb'],
    ['a\nb\n', { startLine: 1, endLine: 3 }, 'a\nb\n'],
    ['a\r\nb\r\nc', { startLine: 1, endLine: 2 }, 'a\r\nb'],
    ['a\rb', { startLine: 2 }, 'b'],
    ['a\nb', { startLine: 5 }, ''],
    ['a\nb', { startLine: 0, endLine: 1 }, 'a'],
    ['', { startLine: 1 }, ''],
  ])('takes from %j with %j: %j', (text, range, lines) => {
    expect(extractLines(text, range)).toBe(lines);
  });
});
