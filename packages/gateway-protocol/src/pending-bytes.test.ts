import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { PendingBytes } from './pending-bytes.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const KIB = 1024;

function pendingOf(chunks: Iterable<Uint8Array>): PendingBytes {
  const pending = new PendingBytes();
  for (const chunk of chunks) pending.push(chunk);
  return pending;
}

describe('PendingBytes', () => {
  it.each([1, 3, 1_000, 20_000, 70_000])('are what came, in order, taken as one likes: pieces of %i', (size) => {
    const bytes = Buffer.from(Array.from({ length: 150_000 }, (_, index) => (index * 31) % 251));
    const pending = pendingOf(
      Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      ),
    );
    const taken = [1, 0, 70_000, 9_999, pending.length - 80_000].map((count) => Buffer.from(pending.take(count)));
    expect(pending.length).toBe(0);
    expect(Buffer.concat(taken).equals(bytes)).toBe(true);
    expect(taken.map(({ length }) => length)).toEqual([1, 0, 70_000, 9_999, 70_000]);
  });

  it('leave what was taken as it was, when more comes', () => {
    const pending = pendingOf([Buffer.from('first')]);
    const first = pending.take(3);
    pending.push(Buffer.from('second'));
    pending.push(Buffer.alloc(20 * KIB, 'x'));
    pending.push(Buffer.from('third'));
    expect(Buffer.from(first).toString()).toBe('fir');
    expect(Buffer.from(pending.take(8)).toString()).toBe('stsecond');
    expect(Buffer.from(pending.take(pending.length).subarray(-6)).toString()).toBe('xthird');
  });

  it('keep nothing alive of what small chunks are views of', async () => {
    const pending = new PendingBytes();
    const wholes = Array.from({ length: 50 }, () => {
      const whole = Buffer.allocUnsafeSlow(64 * KIB).fill('y');
      pending.push(whole.subarray(7, 8));
      return new WeakRef(whole.buffer);
    });
    await setImmediate();
    collectGarbage();
    expect(wholes.filter((whole) => whole.deref() !== undefined)).toEqual([]);
    expect(Buffer.from(pending.take(50)).toString()).toBe('y'.repeat(50));
  });

  it('copy a large chunk only if it is a small part of what it is a view of', () => {
    const whole = Buffer.allocUnsafeSlow(256 * KIB);
    expect(pendingOf([whole.subarray(0, 20 * KIB)]).take(20 * KIB).buffer).not.toBe(whole.buffer);
    expect(pendingOf([whole.subarray(0, 80 * KIB)]).take(60 * KIB).buffer).toBe(whole.buffer);
  });

  it('look for the end of a line once in each byte', () => {
    const searched: number[] = [];
    const { indexOf } = Buffer.prototype;
    const spy = vi.spyOn(Buffer.prototype, 'indexOf').mockImplementation(function (this: Buffer, value, from) {
      searched.push(this.byteLength - Number(from ?? 0));
      return indexOf.call(this, value, from);
    });
    const pending = new PendingBytes();
    for (let count = 0; count < 5_000; count++) {
      pending.push(Buffer.from('x'));
      expect(pending.lineLength()).toBe(-1);
    }
    pending.push(Buffer.from('\nab\n'));
    expect(pending.lineLength()).toBe(5_000);
    spy.mockRestore();
    expect(searched.reduce((sum, count) => sum + count, 0)).toBeLessThan(5_010);
    pending.take(5_001);
    expect(pending.lineLength()).toBe(2);
  });
});
