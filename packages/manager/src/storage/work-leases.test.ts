import { afterEach, describe, expect, it, vi } from 'vitest';
import type { WorkLease } from './manager-storage.ts';
import { MemoryStorage } from './memory-storage.ts';
import { WorkLeases } from './work-leases.ts';

const LONG_MS = 600_000;

describe('WorkLeases', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('runs work of two replicas on one workspace one after the other', async () => {
    const storage = new MemoryStorage();
    const steps: string[] = [];
    const run = (replicaId: string): Promise<void> =>
      new WorkLeases({ storage, replicaId }).run('w', async () => {
        steps.push(`${replicaId} begins`);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        steps.push(`${replicaId} ends`);
      });
    await Promise.all([run('one'), run('two')]);
    expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('gives the lease back when the work fails', async () => {
    const storage = new MemoryStorage();
    const leases = new WorkLeases({ storage, replicaId: 'one' });
    await expect(leases.run('w', () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
    expect(await storage.acquireLease('w', { replicaId: 'two', ttlMs: 1 })).toBeDefined();
  });

  it('stops waiting for another replica when told to, or when its patience is over', async () => {
    const storage = new MemoryStorage();
    await storage.acquireLease('w', { replicaId: 'two', ttlMs: LONG_MS });
    const leases = new WorkLeases({ storage, replicaId: 'one' });
    const work = vi.fn<() => Promise<void>>();
    await expect(leases.run('w', work, { patienceMs: 0 })).rejects.toMatchObject({ code: 'lease-unavailable' });
    const abort = new AbortController();
    const waiting = leases.run('w', work, { signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(work).not.toHaveBeenCalled();
  });

  it('keeps a lease for as long as the work takes', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    const storage = new MemoryStorage();
    const done = Promise.withResolvers<void>();
    const running = new WorkLeases({ storage, replicaId: 'one' }).run('w', () => done.promise);
    for (let seconds = 0; seconds < 60; seconds += 5) {
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await storage.acquireLease('w', { replicaId: 'two', ttlMs: 1 })).toBeUndefined();
    }
    done.resolve();
    await running;
  });

  it('tells the work that its lease was lost, and what it attaches then is refused', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const storage = new MemoryStorage();
    const begun = Promise.withResolvers<{ readonly lease: WorkLease; readonly signal: AbortSignal }>();
    const done = Promise.withResolvers<void>();
    const running = new WorkLeases({ storage, replicaId: 'one' }).run('w', async (lease, { signal }) => {
      begun.resolve({ lease, signal });
      await done.promise;
    });
    const { lease, signal } = await begun.promise;
    // Suspended for a minute, in which another replica takes over.
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    const next = await storage.acquireLease('w', { replicaId: 'two', ttlMs: LONG_MS });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: 'lease-unavailable' });
    expect(await storage.attach(lease, 'one')).toBe(false);
    done.resolve();
    await running;
    expect(next?.fence).toBeGreaterThan(lease.fence);
    expect(await storage.acquireLease('w', { replicaId: 'three', ttlMs: 1 })).toBeUndefined();
  });
});
