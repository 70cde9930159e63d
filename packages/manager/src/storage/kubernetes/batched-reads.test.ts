import { describe, expect, it, vi } from 'vitest';
import { BatchedReads } from './batched-reads.ts';

const MANY = Array.from({ length: 60 }, (_, index) => `w-${index}`);

describe('BatchedReads', () => {
  function reads(there: readonly string[]): {
    readonly batched: BatchedReads<string>;
    readonly readOne: ReturnType<typeof vi.fn>;
    readonly readAll: ReturnType<typeof vi.fn>;
  } {
    const readOne = vi.fn(async (id: string) => (there.includes(id) ? `one ${id}` : undefined));
    const readAll = vi.fn(async () => new Map(there.map((id) => [id, `all ${id}`])));
    return { batched: new BatchedReads({ readOne, readAll }), readOne, readAll };
  }

  it('reads few one by one, also one after the other', async () => {
    const { batched, readAll } = reads(['w-1']);
    expect(await Promise.all(['w-1', 'w-2'].map((id) => batched.read(id)))).toEqual(['one w-1', undefined]);
    for (const id of MANY) await batched.read(id);
    expect(readAll).not.toHaveBeenCalled();
  });

  it('reads many at once by one listing', async () => {
    const { batched, readOne, readAll } = reads(['w-1', 'other']);
    const answers = await Promise.all(MANY.map((id) => batched.read(id)));
    expect(answers.filter((answer) => answer !== undefined)).toEqual(['all w-1']);
    expect([readOne.mock.calls.length, readAll.mock.calls.length]).toEqual([0, 1]);
  });

  it('lists no more where there is far more than is asked for', async () => {
    const { batched, readOne, readAll } = reads(Array.from({ length: 5_000 }, (_, index) => `w-${index}`));
    for (let round = 0; round < 2; round += 1) await Promise.all(MANY.map((id) => batched.read(id)));
    expect([readOne.mock.calls.length, readAll.mock.calls.length]).toEqual([60, 1]);
  });

  it('gives nobody an answer that was on its way before the question', async () => {
    const first = Promise.withResolvers<ReadonlyMap<string, string>>();
    const readAll = vi.fn(async () => new Map([['w-1', 'new']])).mockReturnValueOnce(first.promise as never);
    const batched = new BatchedReads({ readOne: async () => 'one', readAll });
    const early = Promise.all(MANY.map((id) => batched.read(id)));
    await vi.waitFor(() => expect(readAll).toHaveBeenCalled());
    expect(await batched.read('w-1')).toBe('one');
    const late = Promise.all(MANY.map((id) => batched.read(id)));
    first.resolve(new Map([['w-1', 'old']]));
    expect([(await early)[1], (await late)[1]]).toEqual(['old', 'new']);
  });

  it('tells all who wait that a listing failed, and lists again', async () => {
    const readAll = vi.fn(async () => new Map([['w-1', 'there']])).mockRejectedValueOnce(new Error('away'));
    const batched = new BatchedReads({ readOne: async () => undefined, readAll });
    const ends = await Promise.allSettled(MANY.map((id) => batched.read(id)));
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect((await Promise.all(MANY.map((id) => batched.read(id))))[1]).toBe('there');
  });
});
