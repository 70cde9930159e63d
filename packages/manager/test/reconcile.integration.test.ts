import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '@agent-workspace/core';
import { LocalWorkspace } from '@agent-workspace/local';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FoundSandbox, type ManagerEvent, MemoryStorage, type NewWorkspaceContext } from '../src/index.ts';
import { LocalWorkspaceManager, type LocalWorkspaceManagerOptions } from '../src/local/index.ts';
import { untilRefused } from './support/until-refused.ts';
import { WAIT } from './support/wait.ts';

const HOUR_MS = 3_600_000;

/** A local manager to which some directories are sandboxes that a crash has left behind. */
class LeftBehind extends LocalWorkspaceManager {
  readonly found: FoundSandbox[] = [];
  readonly stopped: string[] = [];

  protected override async listSandboxes(): Promise<readonly FoundSandbox[]> {
    return this.found;
  }

  protected override async stopSandbox({ workspaceId }: NewWorkspaceContext): Promise<void> {
    this.stopped.push(workspaceId);
  }
}

describe('reconciliation', () => {
  let directory: TemporaryDirectory;
  let storage: MemoryStorage;
  let events: ManagerEvent[];

  beforeEach(async () => {
    directory = await TemporaryDirectory.create();
    storage = new MemoryStorage();
    events = [];
  });

  afterEach(() => directory[Symbol.asyncDispose]());

  function create(options: Partial<LocalWorkspaceManagerOptions> = {}): LeftBehind {
    return new LeftBehind({ basedir: directory.path, onEvent: (event) => events.push(event), ...options });
  }

  async function leave(workspaceId: string, ageMs: number = HOUR_MS): Promise<FoundSandbox> {
    await using _left = await LocalWorkspace.open({ workspaceId, workdir: join(directory.path, workspaceId) });
    return { workspaceId, createdAt: Date.now() - ageMs, isPersistent: true };
  }

  it('adopts, removes and leaves what it finds, at the start', async () => {
    await using manager = create({ storage });
    manager.found.push(await leave('owned'), await leave('nobodys'), await leave('young', 1_000));
    await storage.claim('owned', 'u');
    for (const workspaceId of ['nobodys', 'young']) await storage.markSlot(workspaceId);
    await manager.initialize();
    expect(await directory.names()).toEqual(['owned', 'young']);
    await expect
      .poll(() => events.map(({ type, workspaceId }) => [type, workspaceId]), WAIT)
      .toEqual([
        ['workspace-reaped', 'nobodys'],
        ['workspace-attached', 'owned'],
      ]);
    const key = { userId: 'u', agentId: 'a', sessionId: 's', workspaceId: 'owned' };
    expect((await manager.getWorkspace(key)).isNew).toBe(false);
    expect(events).toHaveLength(2);
  });

  it('only tells what it would do, in a dry run', async () => {
    await using manager = create({ storage });
    await manager.initialize();
    manager.found.push(await leave('owned'), await leave('nobodys'));
    await storage.claim('owned', 'u');
    await storage.markSlot('nobodys');
    expect(await manager.reconcile({ dryRun: true })).toEqual([
      { workspaceId: 'owned', action: 'adopt', reason: 'owned' },
      { workspaceId: 'nobodys', action: 'remove', reason: 'nobodys' },
    ]);
    expect(await directory.names()).toEqual(['nobodys', 'owned']);
    expect(events).toEqual([]);
  });

  it('removes nothing on which a replica is at work, or that one has opened since', async () => {
    await using manager = create({ storage });
    await manager.initialize();
    manager.found.push(await leave('in-work'));
    await storage.markSlot('in-work');
    const lease = await storage.acquireLease('in-work', { replicaId: 'other', ttlMs: HOUR_MS });
    if (lease === undefined) throw new Error('There is no lease.');
    expect(await manager.reconcile()).toMatchObject([{ action: 'remove' }]);
    expect(await directory.names()).toEqual(['in-work']);
    await storage.heartbeat({ replicaId: 'other', ttlMs: HOUR_MS });
    await storage.attach(lease, 'other');
    await storage.releaseLease(lease);
    expect(await manager.reconcile()).toMatchObject([{ action: 'leave', reason: 'open-elsewhere' }]);
    expect(await directory.names()).toEqual(['in-work']);
  });

  it('stops what it knows no owner of, without a storage', async () => {
    await using manager = create();
    manager.found.push(await leave('unknown'));
    await manager.initialize();
    expect(manager.stopped).toEqual(['unknown']);
    expect(await directory.names()).toEqual(['unknown']);
  });

  it('removes nothing of tenants whom the storage has forgotten, or never knew, and tells of each once', async () => {
    const warned: unknown[] = [];
    const logger = { ...silentLogger, warn: (_text: string, fields: unknown) => void warned.push(fields) };
    const forgetful = new MemoryStorage();
    await using manager = create({ storage: forgetful, logger });
    await manager.initialize();
    manager.found.push(await leave('tenants'), { ...(await leave('fleeting')), isPersistent: false });
    for (let look = 0; look < 2; look += 1) {
      expect(await manager.reconcile()).toEqual([
        { workspaceId: 'tenants', action: 'stop', reason: 'owner-unknown' },
        { workspaceId: 'fleeting', action: 'leave', reason: 'owner-unknown' },
      ]);
    }
    expect(await directory.names()).toEqual(['fleeting', 'tenants']);
    expect(new Set(manager.stopped)).toEqual(new Set(['tenants']));
    expect(warned).toEqual([
      { workspaceId: 'tenants', action: 'stop' },
      { workspaceId: 'fleeting', action: 'leave' },
    ]);
  });

  it('adopts nothing that another replica has destroyed by the time that its lease is had', async () => {
    await using manager = create({ storage });
    await manager.initialize();
    manager.found.push(await leave('owned'));
    await storage.claim('owned', 'u');
    const lease = await storage.acquireLease('owned', { replicaId: 'other', ttlMs: HOUR_MS });
    if (lease === undefined) throw new Error('There is no lease.');
    const refused = untilRefused(storage);
    await manager.reconcile();
    await refused;
    await rm(directory.at('owned'), { recursive: true });
    await storage.forget('owned');
    await storage.releaseLease(lease);
    await expect.poll(() => events, WAIT).toMatchObject([{ type: 'workspace-failed', operation: 'build' }]);
    expect(await directory.names()).toEqual([]);
    expect(await storage.findOwner('owned')).toBeUndefined();
  });

  it('looks again with the sweeper, and tells where it cannot', async () => {
    await using manager = create({ storage, sweepIntervalMs: 20 });
    await manager.initialize();
    await storage.markSlot('nobodys');
    manager.found.push(await leave('nobodys'));
    await expect.poll(() => directory.names(), WAIT).toEqual([]);
    manager.found.length = 0;
    Object.assign(manager, { listSandboxes: () => Promise.reject(new Error('the engine is away')) });
    await expect
      .poll(() => events.at(-1), WAIT)
      .toMatchObject({ type: 'workspace-failed', operation: 'reconcile', error: { message: 'the engine is away' } });
  });

  it('does not look again without a storage, where nobody else’s life is known of', async () => {
    await using manager = create({ ttlMs: 1, sweepIntervalMs: 20 });
    await manager.initialize();
    const workspace = await manager.getWorkspace({ userId: 'u', agentId: 'a', sessionId: 's' });
    manager.found.push(await leave('unknown'));
    await expect.poll(() => workspace.status, WAIT).toBe('closed');
    expect(manager.stopped).toEqual([]);
  });

  it('fails initialize() where it cannot look, which may be repeated', async () => {
    await using manager = create({ storage });
    const broken = Object.assign(manager, {
      listSandboxes: () => Promise.reject(new Error('the engine is away')),
    });
    await expect(broken.initialize()).rejects.toThrow('the engine is away');
    await expect(manager.getWorkspace({ userId: 'u', agentId: 'a', sessionId: 's' })).rejects.toMatchObject({
      code: 'manager-closed',
    });
    Object.assign(manager, { listSandboxes: async () => [] });
    await manager.initialize();
    expect((await manager.getWorkspace({ userId: 'u', agentId: 'a', sessionId: 's' })).status).toBe('ready');
  });
});
