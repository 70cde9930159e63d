import { describe, expect, it } from 'vitest';
import { EventLog, type Read } from './event-log.ts';

const never = new AbortController().signal;

async function all<T>(reads: AsyncIterable<Read<T>>): Promise<readonly Read<T>[]> {
  return await Array.fromAsync(reads);
}

describe('EventLog', () => {
  it('gives what was there and what comes, to each of its readers, until it is closed', async () => {
    const log = new EventLog<string>();
    log.append('a');
    const early = all(log.follow(0, never));
    log.append('b');
    const late = all(log.follow(1, never));
    log.append('c');
    log.close();
    log.append('too late');
    expect(await early).toEqual(['a', 'b', 'c'].map((item, index) => ({ id: index + 1, item })));
    expect(await late).toEqual(['b', 'c'].map((item, index) => ({ id: index + 2, item })));
  });

  it('tells a reader how much is gone that it has not seen', async () => {
    const log = new EventLog<number>({ capacity: 10 });
    for (let number = 1; number <= 100; number += 1) log.append(number);
    log.close();
    const reads = await all(log.follow(5, never));
    const [first, second] = reads;
    const missed = first !== undefined && 'missed' in first ? first.missed : 0;
    expect(missed).toBeGreaterThanOrEqual(75);
    expect(second).toEqual({ id: 6 + missed, item: 6 + missed });
    expect(reads.at(-1)).toEqual({ id: 100, item: 100 });
    expect(missed + reads.length - 1).toBe(95);
  });

  it('takes a number that it never gave for one of another life', async () => {
    const log = new EventLog<string>();
    log.append('a');
    log.close();
    expect(await all(log.follow(99, never))).toEqual([{ id: 1, item: 'a' }]);
  });

  it('lets a reader go that is no longer there', async () => {
    const log = new EventLog<string>();
    const gone = new AbortController();
    const reads = all(log.follow(0, gone.signal));
    gone.abort();
    expect(await reads).toEqual([]);
  });
});
