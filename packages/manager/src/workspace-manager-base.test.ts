import { ManagerStorageFailedError, type Workspace } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { MemoryStorage } from './storage/memory-storage.ts';
import { WorkspaceManagerBase } from './workspace-manager-base.ts';

/** An engine that has a storage of its own, and is asked for no workspace here. */
class WithStorage extends WorkspaceManagerBase<Workspace> {
  readonly made: MemoryStorage[] = [];
  readonly closed: MemoryStorage[] = [];
  isAway = false;

  protected override readonly purpose = 'test';

  protected override newWorkspace(): Workspace {
    throw new Error('Nobody asks for one.');
  }

  protected override makeStorage(): MemoryStorage {
    const storage = new MemoryStorage();
    this.made.push(storage);
    const heartbeat = storage.heartbeat.bind(storage);
    storage.heartbeat = async (options) => {
      if (this.isAway) throw new ManagerStorageFailedError({ storage: 'test', operation: 'heartbeat' });
      return await heartbeat(options);
    };
    storage.close = async () => void this.closed.push(storage);
    return storage;
  }
}

const KEY = { userId: 'u', agentId: 'a', sessionId: 's' };

describe('a manager whose engine has a storage of its own', () => {
  it('is bound to it, and closes it at its end', async () => {
    const manager = new WithStorage({});
    expect(manager.made).toEqual([]);
    await manager.initialize();
    const workspaceId = await manager.assignWorkspaceId(KEY);
    expect(await manager.made[0]?.findBinding(JSON.stringify(['agent', 'u', 'a']))).toBe(workspaceId);
    expect(manager.closed).toEqual([]);
    await manager[Symbol.asyncDispose]();
    expect([manager.made.length, manager.closed]).toEqual([1, manager.made]);
  });

  it('makes none where another one is given, which is its owner’s to close', async () => {
    const storage = new MemoryStorage();
    const manager = new WithStorage({});
    await manager.bindStorage(storage).initialize();
    await manager[Symbol.asyncDispose]();
    const other = new WithStorage({ storage });
    await other.initialize();
    await other[Symbol.asyncDispose]();
    expect([...manager.made, ...other.made]).toEqual([]);
  });

  it('keeps to it when initialize() is repeated', async () => {
    const manager = new WithStorage({});
    manager.isAway = true;
    await expect(manager.initialize()).rejects.toMatchObject({ code: 'manager-storage-failed' });
    manager.isAway = false;
    await manager.initialize();
    await manager[Symbol.asyncDispose]();
    expect([manager.made.length, manager.closed.length]).toEqual([1, 1]);
  });
});
