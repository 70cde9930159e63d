import { describe, expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('LineSplitter', () => {
  it('gives the lines of a chunk and keeps what has not ended', () => {
    const splitter = new LineSplitter(100);
    expect([...splitter.push(bytes('a\n\nb\r\nc'))]).toEqual(['a', '', 'b\r']);
    expect([...splitter.push(bytes('d'))]).toEqual([]);
    expect([...splitter.push(bytes('\n'))]).toEqual(['cd']);
  });

  it('[M09] joins a character that two chunks share', () => {
    const splitter = new LineSplitter(100);
    const line = bytes('你好\n');
    const lines = [...line].flatMap((byte) => [...splitter.push(Uint8Array.of(byte))]);
    expect(lines).toEqual(['你好']);
  });

  it('does not split at other line separators of Unicode', () => {
    const text = 'a\u2028b\u2029c\u0085d\vf\f';
    expect([...new LineSplitter(100).push(bytes(`${text}\n`))]).toEqual([text]);
  });

  it('stops at a line that is too long, ended or not', () => {
    const open = new LineSplitter(4);
    expect([...open.push(bytes('1234'))]).toEqual([]);
    expect(open.isOverlong).toBe(false);
    expect([...open.push(bytes('5'))]).toEqual([]);
    expect(open.isOverlong).toBe(true);
    const ended = new LineSplitter(4);
    expect([...ended.push(bytes('ok\n12345\nok\n'))]).toEqual(['ok']);
    expect(ended.isOverlong).toBe(true);
  });
});
