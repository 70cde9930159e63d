import { describe, expect, it } from 'vitest';
import { TextTail } from './text-tail.ts';

describe('TextTail', () => {
  it('is the whole text while that fits', () => {
    const tail = new TextTail(16);
    expect(tail.text()).toBe('');
    tail.push(Buffer.from('one '));
    tail.push(Buffer.from('two'));
    expect(tail.text()).toBe('one two');
    expect(tail.text(3)).toBe('two');
  });

  it('keeps the last bytes of any number of chunks of any size', () => {
    const all = Array.from({ length: 2000 }, (_, index) => `${index};`).join('');
    for (const size of [1, 3, 7, 10, 19, 20, 21, 64, 5000]) {
      const tail = new TextTail(10);
      for (let from = 0; from < all.length; from += size) tail.push(Buffer.from(all.slice(from, from + size)));
      expect(tail.text()).toBe(all.slice(-10));
    }
  });

  it('cuts between characters at both ends', () => {
    const tail = new TextTail(8);
    const bytes = Buffer.from('你好吗世界');
    tail.push(bytes.subarray(0, bytes.length - 1));
    expect(tail.text()).toBe('吗世');
    expect(tail.text()).not.toContain('\ufffd');
  });
});
