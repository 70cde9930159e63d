import type { ManagerStorage, WorkLease } from '../../src/index.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { WAIT } from './wait.ts';

export interface StorageContractOptions {
  /** Another connection to the storage of a place; another name is an empty one. */
  open(place: string): Promise<ManagerStorage>;
}

const LONG_MS = 60_000;
const SHORT_MS = 40;

/** What every storage of a manager does. */
export function describeStorageContract(name: string, options: StorageContractOptions): void {
  describe(`storage contract: ${name}`, () => {
    const opened: ManagerStorage[] = [];
    let count = 0;

    async function openTwo(): Promise<readonly [ManagerStorage, ManagerStorage]> {
      count += 1;
      const place = `${process.pid}-${count}`;
      const [one, two] = [await options.open(place), await options.open(place)];
      opened.push(one, two);
      return [one, two];
    }

    afterEach(async () => {
      await Promise.all(opened.splice(0).map((storage) => storage[Symbol.asyncDispose]()));
    });

    async function leaseOf(storage: ManagerStorage, workspaceId: string, ttlMs = LONG_MS): Promise<WorkLease> {
      const lease = await storage.acquireLease(workspaceId, { replicaId: 'r-1', ttlMs });
      if (lease === undefined) throw new Error('Another replica has the lease.');
      return lease;
    }

    it('storage:manager-id: is made once, and the same for all', async () => {
      const [one, two] = await openTwo();
      const ids = await Promise.all([one.managerId(), two.managerId(), one.managerId()]);
      expect(ids).toEqual([ids[0], ids[0], ids[0]]);
      expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('storage:bind: the first to bind wins, and all are told who it was', async () => {
      const [one, two] = await openTwo();
      expect(await one.findBinding('["agent","u","a"]')).toBeUndefined();
      const racing = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : two).bind('b', `w-${index}`));
      const bound = new Set(await Promise.all(racing));
      expect(bound.size).toBe(1);
      expect(bound).toContain(await two.findBinding('b'));
      expect(await one.bind('another', 'w-x')).toBe('w-x');
    });

    it('storage:claim: the first to claim owns it', async () => {
      const [one, two] = await openTwo();
      expect(await one.findOwner('w')).toBeUndefined();
      const owners = new Set(await Promise.all(['u', 'v', 'u'].map((user) => one.claim('w', user))));
      expect(owners).toEqual(new Set([await two.findOwner('w')]));
      expect(await two.claim('w', 'z')).toBe(await one.findOwner('w'));
    });

    it('storage:slot: is marked until it is claimed or forgotten, and is never one that was claimed', async () => {
      const [one, two] = await openTwo();
      expect(await one.isSlot('never-there')).toBe(false);
      for (const id of ['w', 'forgotten', 'w-2']) await one.markSlot(id);
      await one.markSlot('w');
      expect([await two.isSlot('w'), await two.findOwner('w')]).toEqual([true, undefined]);
      expect(await two.bind('b', 'w')).toBe('w');
      expect(await one.isSlot('w')).toBe(true);
      expect(await two.claim('w', 'u')).toBe('u');
      await one.markSlot('w');
      expect([await one.isSlot('w'), await one.findOwner('w')]).toEqual([false, 'u']);
      await two.forget('forgotten');
      expect([await one.isSlot('forgotten'), await one.isSlot('w-2')]).toEqual([false, true]);
      // What was destroyed may be made again.
      await one.forget('w');
      await one.markSlot('w');
      expect(await two.isSlot('w')).toBe(true);
    });

    it('storage:text: keeps any text apart from any other', async () => {
      const [one, two] = await openTwo();
      const texts = ["a'b", 'a"b', 'a:b', 'a', 'A', '', ' ', 'ü', 'a%', '__proto__', '😀'];
      for (const text of texts) await one.claim(text, text);
      for (const text of texts) expect(await two.findOwner(text)).toBe(text);
    });

    it('storage:lease: is had by one at a time, with a fence that grows', async () => {
      const [one, two] = await openTwo();
      const first = await leaseOf(one, 'w');
      expect(await two.acquireLease('w', { replicaId: 'r-2', ttlMs: LONG_MS })).toBeUndefined();
      expect((await leaseOf(two, 'other')).workspaceId).toBe('other');
      await one.releaseLease(first);
      const second = await leaseOf(two, 'w');
      expect(second.fence).toBeGreaterThan(first.fence);
      const many = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          (index % 2 === 0 ? one : two).acquireLease('raced', { replicaId: `r-${index}`, ttlMs: LONG_MS }),
        ),
      );
      expect(many.filter((lease) => lease !== undefined)).toHaveLength(1);
    });

    it('storage:lease-expires: is anyone’s when its time is over, and lost to who had it', async () => {
      const [one, two] = await openTwo();
      const old = await leaseOf(one, 'w', SHORT_MS);
      await one.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS });
      const next = { replicaId: 'r-2', ttlMs: LONG_MS };
      await expect.poll(() => two.acquireLease('w', next), WAIT).toMatchObject({ workspaceId: 'w' });
      expect(await one.renewLease(old, { replicaId: 'r-1', ttlMs: LONG_MS })).toBe(false);
      expect(await one.attach(old, 'r-1')).toBe(false);
      expect(await one.listAttached('w')).toEqual([]);
      await one.releaseLease(old);
      expect(await one.acquireLease('w', next)).toBeUndefined();
    });

    it('storage:lease-renewed: a lease that is renewed is kept', async () => {
      const [one, two] = await openTwo();
      const lease = await leaseOf(one, 'w', LONG_MS);
      expect(await one.renewLease(lease, { replicaId: 'r-1', ttlMs: SHORT_MS })).toBe(true);
      await expect.poll(() => two.acquireLease('w', { replicaId: 'r-2', ttlMs: LONG_MS }), WAIT).toBeDefined();
      expect(await one.renewLease({ ...lease, fence: lease.fence + 7 }, { replicaId: 'r-1', ttlMs: 1 })).toBe(false);
    });

    it('storage:heartbeat: tells who has a workspace open, of those that live', async () => {
      const [one, two] = await openTwo();
      expect(await one.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS })).toBe(false);
      expect(await one.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS })).toBe(true);
      expect(await two.heartbeat({ replicaId: 'r-2', ttlMs: SHORT_MS })).toBe(false);
      const lease = await leaseOf(one, 'w');
      expect(await one.attach(lease, 'r-1')).toBe(true);
      expect(await one.attach(lease, 'r-1')).toBe(true);
      expect(await two.attach(lease, 'r-2')).toBe(true);
      await expect.poll(() => one.listAttached('w'), WAIT).toEqual(['r-1']);
      await one.detach('w', 'r-1');
      await one.detach('w', 'never');
      expect(await two.listAttached('w')).toEqual([]);
    });

    it('storage:heartbeat-lapsed: tells a replica that it was taken for dead, so that it attaches again', async () => {
      const [one, two] = await openTwo();
      await one.heartbeat({ replicaId: 'r-1', ttlMs: SHORT_MS });
      await two.heartbeat({ replicaId: 'r-2', ttlMs: LONG_MS });
      const lease = await leaseOf(one, 'w');
      await one.attach(lease, 'r-1');
      await expect
        .poll(async () => {
          await two.heartbeat({ replicaId: 'r-2', ttlMs: LONG_MS });
          return await two.listAttached('w');
        }, WAIT)
        .toEqual([]);
      expect(await one.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS })).toBe(false);
      expect(await one.attach(lease, 'r-1')).toBe(true);
      expect(await two.listAttached('w')).toEqual(['r-1']);
      expect(await one.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS })).toBe(true);
    });

    it('storage:forget: forgets owner, bindings and attachments, of that workspace alone', async () => {
      const [one, two] = await openTwo();
      await one.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS });
      for (const workspaceId of ['w', 'kept']) {
        await one.claim(workspaceId, 'u');
        for (const grain of ['1', '2']) await one.bind(`${workspaceId}-${grain}`, workspaceId);
        await one.attach(await leaseOf(one, workspaceId), 'r-1');
      }
      await two.forget('w');
      await two.forget('never-there');
      expect([await one.findOwner('w'), await one.findBinding('w-1'), await one.findBinding('w-2')]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(await one.listAttached('w')).toEqual([]);
      expect([await one.findOwner('kept'), await one.findBinding('kept-2')]).toEqual(['u', 'kept']);
      expect(await one.listAttached('kept')).toEqual(['r-1']);
      expect(await one.acquireLease('w', { replicaId: 'r-2', ttlMs: LONG_MS })).toBeUndefined();
    });
  });
}
