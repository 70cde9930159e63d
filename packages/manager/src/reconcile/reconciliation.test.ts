import { describe, expect, it } from 'vitest';
import { MemoryStorage } from '../storage/memory-storage.ts';
import { type FoundSandbox, planReconciliation, type ReconciliationOptions } from './reconciliation.ts';

const OLD: FoundSandbox = { workspaceId: 'w', createdAt: Date.now() - 3_600_000, isPersistent: true };

async function plan(
  sandbox: Partial<FoundSandbox>,
  options: Partial<ReconciliationOptions>,
): Promise<readonly [string, string]> {
  const defaults = { storage: new MemoryStorage(), isBound: true, isOpenHere: () => false };
  const { action, reason } = await planReconciliation({ ...OLD, ...sandbox }, { ...defaults, ...options });
  return [action, reason];
}

async function owned(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  await storage.claim('w', 'u');
  return storage;
}

async function slot(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  await storage.markSlot('w');
  return storage;
}

async function attached(): Promise<MemoryStorage> {
  const storage = await owned();
  await storage.heartbeat({ replicaId: 'r', ttlMs: 60_000 });
  const lease = await storage.acquireLease('w', { replicaId: 'r', ttlMs: 60_000 });
  if (lease !== undefined) await storage.attach(lease, 'r');
  return storage;
}

describe('planReconciliation', () => {
  it('leaves what is open, here or elsewhere', async () => {
    expect(await plan({}, { isOpenHere: () => true })).toEqual(['leave', 'open-here']);
    expect(await plan({}, { storage: await attached() })).toEqual(['leave', 'open-elsewhere']);
  });

  it('adopts what has an owner', async () => {
    expect(await plan({}, { storage: await owned() })).toEqual(['adopt', 'owned']);
  });

  it('stops what has an owner and does not run, unless its data would go', async () => {
    expect(await plan({ isRunning: false }, { storage: await owned() })).toEqual(['stop', 'owned']);
    expect(await plan({ isRunning: false, isPersistent: false }, { storage: await owned() })).toEqual([
      'adopt',
      'owned',
    ]);
    expect(await plan({ isRunning: false }, { storage: await attached() })).toEqual(['leave', 'open-elsewhere']);
  });

  it('leaves what is closed already, unless it is nobody’s', async () => {
    const closed = { isRunning: false, isClosed: true };
    expect(await plan(closed, { storage: await owned() })).toEqual(['leave', 'closed']);
    expect(await plan(closed, { isBound: false })).toEqual(['leave', 'closed']);
    expect(await plan(closed, { storage: await attached() })).toEqual(['leave', 'open-elsewhere']);
    expect(await plan(closed, { storage: await slot() })).toEqual(['remove', 'nobodys']);
    expect(await plan(closed, {})).toEqual(['leave', 'closed']);
  });

  it('stops what is closed already and still has data that were to go with that', async () => {
    const half = { isRunning: false, isClosed: true, isPersistent: false };
    expect(await plan(half, { storage: await owned() })).toEqual(['stop', 'closed']);
    expect(await plan(half, { isBound: false })).toEqual(['stop', 'closed']);
    expect(await plan(half, { isOpenHere: () => true })).toEqual(['leave', 'open-here']);
    expect(await plan(half, { storage: await attached() })).toEqual(['leave', 'open-elsewhere']);
    expect(await plan(half, { storage: await slot() })).toEqual(['remove', 'nobodys']);
  });

  it('removes a slot that nobody was given, unless it may just be being made [G21]', async () => {
    expect(await plan({}, { storage: await slot() })).toEqual(['remove', 'nobodys']);
    expect(await plan({ isPersistent: false }, { storage: await slot() })).toEqual(['remove', 'nobodys']);
    expect(await plan({ createdAt: Date.now() - 1_000 }, { storage: await slot() })).toEqual(['leave', 'too-young']);
  });

  it('removes no slot that has an owner', async () => {
    const storage = await slot();
    await storage.claim('w', 'u');
    expect(await plan({}, { storage })).toEqual(['adopt', 'owned']);
  });

  it('removes nothing that the storage does not know, since it may have lost what it knew', async () => {
    expect(await plan({}, {})).toEqual(['stop', 'owner-unknown']);
    expect(await plan({ isPersistent: false }, {})).toEqual(['leave', 'owner-unknown']);
    expect(await plan({ createdAt: Date.now() - 1_000 }, {})).toEqual(['leave', 'too-young']);
  });

  it('removes nothing whose owner may merely be forgotten', async () => {
    expect(await plan({}, { isBound: false })).toEqual(['stop', 'owner-unknown']);
    expect(await plan({ isPersistent: false }, { isBound: false })).toEqual(['adopt', 'owner-unknown']);
  });
});
