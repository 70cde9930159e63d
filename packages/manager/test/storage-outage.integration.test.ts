import { TemporaryDirectory } from '@agent-workspace/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ManagerEvent, MemoryStorage } from '../src/index.ts';
import { LocalWorkspaceManager } from '../src/local/index.ts';
import { SqliteStorage } from '../src/storage/sqlite/index.ts';
import { FailingStorage } from './support/failing-storage.ts';
import { WAIT } from './support/wait.ts';

const KEY = { userId: 'u', agentId: 'a', sessionId: 's' };
const FAILED = { code: 'manager-storage-failed', isRetryable: true };

describe('a storage that goes away', () => {
  let directory: TemporaryDirectory;

  beforeEach(async () => {
    directory = await TemporaryDirectory.create();
  });

  afterEach(async () => {
    vi.useRealTimers();
    await directory[Symbol.asyncDispose]();
  });

  it('leaves what is open in use, fails what is asked anew, and nothing is lost when it is back', async () => {
    const storage = new FailingStorage();
    await using manager = await LocalWorkspaceManager.open({ basedir: directory.path, storage });
    const workspace = await manager.getWorkspace(KEY);
    const path = `${workspace.workdir}/notes.txt`;
    await workspace.backend.writeFile(path, Buffer.from('kept'));
    storage.isAway = true;
    expect(await manager.getWorkspace(KEY)).toBe(workspace);
    await expect(manager.getWorkspace({ ...KEY, agentId: 'b' })).rejects.toMatchObject(FAILED);
    await expect(manager.getWorkspace({ ...KEY, workspaceId: workspace.workspaceId })).rejects.toMatchObject(FAILED);
    await expect(manager.createWorkspace(KEY)).rejects.toMatchObject(FAILED);
    storage.isAway = false;
    expect((await manager.getWorkspace({ ...KEY, agentId: 'b' })).status).toBe('ready');
    expect(await manager.getWorkspace(KEY)).toBe(workspace);
    await manager.close(workspace.workspaceId);
    const again = await manager.getWorkspace(KEY);
    expect(Buffer.from((await again.backend.readFile(path)).bytes).toString()).toBe('kept');
  });

  it('keeps no workspace open that is to be closed, and says what failed', async () => {
    const storage = new FailingStorage();
    const events: ManagerEvent[] = [];
    const manager = new LocalWorkspaceManager({ basedir: directory.path, onEvent: (event) => events.push(event) });
    await manager.bindStorage(storage).initialize();
    const workspace = await manager.getWorkspace(KEY);
    storage.isAway = true;
    await manager[Symbol.asyncDispose]();
    expect(workspace.status).toBe('closed');
    expect(events.at(-1)).toMatchObject({ type: 'workspace-failed', operation: 'evict', error: FAILED });
  });

  it('fails initialize(), which may be repeated', async () => {
    const storage = new FailingStorage();
    storage.isAway = true;
    await using manager = new LocalWorkspaceManager({ basedir: directory.path, storage });
    await expect(manager.initialize()).rejects.toMatchObject(FAILED);
    await expect(manager.getWorkspace(KEY)).rejects.toMatchObject({ code: 'manager-closed' });
    storage.isAway = false;
    await manager.initialize();
    expect((await manager.getWorkspace(KEY)).status).toBe('ready');
  });

  it('does not count as opened what its lease was lost on', async () => {
    const storage = new MemoryStorage();
    storage.attach = async () => false;
    const events: ManagerEvent[] = [];
    const onEvent = (event: ManagerEvent): void => void events.push(event);
    await using manager = await LocalWorkspaceManager.open({ basedir: directory.path, storage, onEvent });
    await expect(manager.getWorkspace(KEY)).rejects.toMatchObject({ code: 'lease-unavailable', isRetryable: true });
    expect(events).toMatchObject([{ type: 'workspace-failed', operation: 'build' }]);
  });

  it('is bound before initialize(), and not later', async () => {
    await using manager = await LocalWorkspaceManager.open({ basedir: directory.path });
    expect(() => manager.bindStorage(new MemoryStorage())).toThrow('it is bound before initialize()');
  });
});

describe('a replica that was taken for dead', () => {
  it('attaches its workspaces again, and gives up those that were destroyed meanwhile', async () => {
    await using directory = await TemporaryDirectory.create();
    await using storage = new SqliteStorage({ path: directory.at('manager.db') });
    await using other = new SqliteStorage({ path: directory.at('manager.db') });
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    try {
      const events: ManagerEvent[] = [];
      const options = { basedir: directory.at('workspaces'), onEvent: (event: ManagerEvent) => events.push(event) };
      await using manager = await LocalWorkspaceManager.open({ ...options, storage });
      const kept = await manager.getWorkspace(KEY);
      const destroyed = await manager.getWorkspace({ ...KEY, userId: 'v' });
      // Suspended for ten minutes, in which another replica looks around.
      vi.setSystemTime(Date.now() + 600_000);
      await other.heartbeat({ replicaId: 'other', ttlMs: 60_000 });
      expect(await other.listAttached(kept.workspaceId)).toEqual([]);
      await other.forget(destroyed.workspaceId);
      vi.advanceTimersByTime(10_000);
      await vi.waitFor(async () => expect(await other.listAttached(kept.workspaceId)).toHaveLength(1), WAIT);
      await vi.waitFor(() => expect(destroyed.status).toBe('closed'), WAIT);
      expect(await manager.getWorkspace(KEY)).toBe(kept);
      const end = { reason: 'dead', workspaceId: destroyed.workspaceId };
      await vi.waitFor(() => expect(events.at(-1)).toMatchObject(end), WAIT);
    } finally {
      vi.useRealTimers();
    }
  });
});
