import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import type { LocalWorkspace } from '@agent-workspace/local';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ManagerEvent, NewWorkspaceContext, WorkLease } from '../src/index.ts';
import { LocalWorkspaceManager, type LocalWorkspaceManagerOptions } from '../src/local/index.ts';
import { SqliteStorage } from '../src/storage/sqlite/index.ts';
import { untilRefused } from './support/until-refused.ts';
import { WAIT } from './support/wait.ts';

const KEY = { userId: 'u', agentId: 'a', sessionId: 's' };
const BINDING = JSON.stringify(['agent', 'u', 'a']);
const LONG_MS = 3_600_000;
const prewarm = { size: 1 };

/** Shows what it makes, and may be held while it removes. */
class Replica extends LocalWorkspaceManager {
  readonly made: LocalWorkspace[] = [];
  readonly removing: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  beforeRemoval: Promise<void> | undefined;
  onMade: ((workspace: LocalWorkspace) => void) | undefined;

  protected override newWorkspace(context: NewWorkspaceContext): LocalWorkspace {
    const workspace = super.newWorkspace(context);
    this.made.push(workspace);
    this.onMade?.(workspace);
    return workspace;
  }

  protected override async discardWorkspace(workspace: LocalWorkspace): Promise<void> {
    this.removing.resolve();
    await this.beforeRemoval;
    await super.discardWorkspace(workspace);
  }
}

describe('two replicas on one storage', () => {
  let directory: TemporaryDirectory;
  let storages: SqliteStorage[];
  let managers: Replica[];

  beforeEach(async () => {
    directory = await TemporaryDirectory.create();
    storages = [];
    managers = [];
  });

  afterEach(async () => {
    for (const manager of managers) await manager[Symbol.asyncDispose]();
    for (const storage of storages) await storage.close();
    await directory[Symbol.asyncDispose]();
  });

  function connect(): SqliteStorage {
    const storage = new SqliteStorage({ path: directory.at('manager.db') });
    storages.push(storage);
    return storage;
  }

  function create(options: Partial<LocalWorkspaceManagerOptions> = {}): Replica {
    const manager = new Replica({ basedir: directory.at('base'), ...options });
    managers.push(manager);
    return manager;
  }

  async function open(options: Partial<LocalWorkspaceManagerOptions> = {}): Promise<Replica> {
    const manager = create(options);
    await manager.initialize();
    return manager;
  }

  /** One that has a slot ready. */
  async function openWithSlot(storage: SqliteStorage): Promise<{ manager: Replica; slot: LocalWorkspace }> {
    const prewarmed = Promise.withResolvers<void>();
    const onEvent = ({ type }: ManagerEvent): void => {
      if (type === 'workspace-prewarmed') prewarmed.resolve();
    };
    const manager = await open({ storage, prewarm, onEvent });
    await prewarmed.promise;
    const [slot] = manager.made;
    if (slot === undefined) throw new Error('There is no slot.');
    return { manager, slot };
  }

  async function hold(storage: SqliteStorage, workspaceId: string): Promise<WorkLease> {
    const lease = await storage.acquireLease(workspaceId, { replicaId: 'other', ttlMs: LONG_MS });
    if (lease === undefined) throw new Error('There is no lease.');
    return lease;
  }

  async function write({ backend, workdir }: LocalWorkspace): Promise<void> {
    await backend.writeFile(`${workdir}/notes.txt`, Buffer.from('kept'));
  }

  async function read({ backend, workdir }: LocalWorkspace): Promise<string> {
    return Buffer.from((await backend.readFile(`${workdir}/notes.txt`)).bytes).toString();
  }

  describe('one of which destroys a workspace while the other one waits to open it', () => {
    it('gives a new one an owner and a binding', async () => {
      const [one, other] = [await open({ storage: connect() }), connect()];
      const two = await open({ storage: other });
      const { workspaceId } = await one.getWorkspace(KEY);
      const gate = Promise.withResolvers<void>();
      one.beforeRemoval = gate.promise;
      const destroying = one.destroy(workspaceId);
      await one.removing.promise;
      const refused = untilRefused(other);
      const getting = two.getWorkspace(KEY);
      await refused;
      gate.resolve();
      await destroying;
      expect([(await getting).workspaceId, (await getting).isNew]).toEqual([workspaceId, true]);
      expect(await other.findOwner(workspaceId)).toBe('u');
      expect(await other.findBinding(BINDING)).toBe(workspaceId);
    });

    it('opens nothing for a key that has another workspace by then', async () => {
      const [storage, other] = [connect(), connect()];
      const manager = await open({ storage });
      await other.bind(BINDING, 'former');
      await other.claim('former', 'u');
      const lease = await hold(other, 'former');
      const refused = untilRefused(storage);
      const getting = manager.getWorkspace(KEY);
      await refused;
      await other.forget('former');
      await other.bind(BINDING, 'next');
      await other.releaseLease(lease);
      await expect(getting).rejects.toMatchObject({ code: 'workspace-closed' });
      expect(manager.made).toEqual([]);
      expect((await manager.getWorkspace(KEY)).workspaceId).toBe('next');
    });

    it('opens nothing by an explicit id that is another user’s by then', async () => {
      const [storage, other] = [connect(), connect()];
      const manager = await open({ storage });
      await other.claim('w', 'u');
      const lease = await hold(other, 'w');
      const refused = untilRefused(storage);
      const forbidden = { code: 'workspace-forbidden', details: { reason: 'owned-by-another' } };
      const getting = manager.getWorkspace({ ...KEY, workspaceId: 'w' });
      await refused;
      await other.forget('w');
      await other.claim('w', 'v');
      await other.releaseLease(lease);
      await expect(getting).rejects.toMatchObject(forbidden);
      expect(manager.made).toEqual([]);
    });

    it('does not take what was destroyed for lost, where it has died here', async () => {
      const [storage, other] = [connect(), connect()];
      const manager = await open({ storage });
      const former = await manager.getWorkspace(KEY);
      await former.close();
      const { workspaceId, workdir } = former;
      const refused = untilRefused(storage);
      // Between its end here, which takes the lease as well, and its next life.
      const held = Promise.withResolvers<WorkLease>();
      const detach = storage.detach.bind(storage);
      storage.detach = async (...attachment) => {
        storage.detach = detach;
        await detach(...attachment);
        held.resolve(await hold(other, workspaceId));
      };
      const getting = manager.getWorkspace(KEY);
      await refused;
      await rm(workdir, { recursive: true });
      await other.forget(workspaceId);
      await other.releaseLease(await held.promise);
      await expect(getting).rejects.toMatchObject({ code: 'workspace-closed' });
      expect((await manager.getWorkspace(KEY)).isNew).toBe(true);
    });
  });

  describe('one of which has prewarmed a slot', () => {
    /** A replica that has a slot promised to the key, whose caller has gone before it was handed over. */
    async function promise(): Promise<{ one: Replica; workspaceId: string; slot: LocalWorkspace }> {
      const storage = connect();
      const { manager: one, slot } = await openWithSlot(storage);
      const gone = new AbortController();
      const bind = storage.bind.bind(storage);
      storage.bind = async (...binding) => {
        const bound = await bind(...binding);
        gone.abort();
        return bound;
      };
      await expect(one.getWorkspace(KEY, { signal: gone.signal })).rejects.toMatchObject({ name: 'AbortError' });
      storage.bind = bind;
      const workspaceId = await storage.findBinding(BINDING);
      expect(workspaceId).toBe(slot.workspaceId);
      return { one, workspaceId: slot.workspaceId, slot };
    }

    it('leaves the data of a slot that the other one has given out, at its end', async () => {
      const { one, workspaceId } = await promise();
      const two = await open({ storage: connect() });
      const workspace = await two.getWorkspace(KEY);
      expect(workspace.workspaceId).toBe(workspaceId);
      await write(workspace);
      await one[Symbol.asyncDispose]();
      expect(await read(workspace)).toBe('kept');
      expect(await connect().findOwner(workspaceId)).toBe('u');
    });

    it('leaves the data of a slot that the other one has given out, where its own has died', async () => {
      const { one, slot } = await promise();
      const two = await open({ storage: connect() });
      await write(await two.getWorkspace(KEY));
      await slot.close();
      expect(await read(await one.getWorkspace(KEY))).toBe('kept');
    });

    it('removes a slot that was promised and never claimed, with its binding, at its end', async () => {
      const { one, workspaceId } = await promise();
      await one[Symbol.asyncDispose]();
      expect(await readdir(directory.at('base'))).toEqual([]);
      const storage = connect();
      expect(await storage.findBinding(BINDING)).toBeUndefined();
      expect(await storage.isSlot(workspaceId)).toBe(false);
      const two = await open({ storage });
      expect((await two.getWorkspace(KEY)).workspaceId).not.toBe(workspaceId);
    });
  });

  describe('a slot', () => {
    it('is known as one until it is given, so that what a crash leaves of it can be removed', async () => {
      const storage = connect();
      const manager = create({ storage, prewarm });
      const marks: Promise<boolean>[] = [];
      // Before anything is made of it.
      manager.onMade = ({ workspaceId }) => void marks.push(storage.isSlot(workspaceId));
      await manager.initialize();
      await expect.poll(() => marks.length, WAIT).toBe(1);
      expect(await marks[0]).toBe(true);
      const { workspaceId } = await manager.getWorkspace(KEY);
      expect(workspaceId).toBe(manager.made[0]?.workspaceId);
      expect(await storage.isSlot(workspaceId)).toBe(false);
    });

    it('goes to no other key where it may have been bound', async () => {
      const storage = connect();
      const { manager, slot } = await openWithSlot(storage);
      const bind = storage.bind.bind(storage);
      storage.bind = async (...binding) => {
        storage.bind = bind;
        await bind(...binding);
        throw new Error('the answer was lost');
      };
      await expect(manager.getWorkspace(KEY)).rejects.toThrow('the answer was lost');
      const others = [await manager.getWorkspace({ ...KEY, userId: 'v' }), await manager.getWorkspace(KEY)];
      expect(new Set([slot, ...others].map(({ workspaceId }) => workspaceId)).size).toBe(3);
    });

    it('is removed where whoever creates a workspace of it goes away before it is handed over', async () => {
      const storage = connect();
      const { manager, slot } = await openWithSlot(storage);
      const gone = new AbortController();
      const claim = storage.claim.bind(storage);
      storage.claim = async (...owner) => {
        const owned = await claim(...owner);
        gone.abort();
        return owned;
      };
      const creating = manager.createWorkspace(KEY, { signal: gone.signal });
      await expect(creating).rejects.toMatchObject({ name: 'AbortError' });
      storage.claim = claim;
      await expect.poll(() => storage.findOwner(slot.workspaceId), WAIT).toBeUndefined();
      await manager[Symbol.asyncDispose]();
      expect(await readdir(directory.at('base'))).toEqual([]);
    });

    it('leaves nothing of itself where it cannot be made', async () => {
      const storage = connect();
      const events: ManagerEvent[] = [];
      const manager = create({ storage, prewarm, onEvent: (event) => void events.push(event) });
      manager.onMade = (workspace) => {
        const initialize = workspace.initialize.bind(workspace);
        workspace.initialize = async (options) => {
          await initialize(options);
          throw new Error('no room');
        };
      };
      await manager.initialize();
      await expect.poll(() => events[0], WAIT).toMatchObject({ type: 'workspace-failed', operation: 'prewarm' });
      const { workspaceId = '', workdir = '' } = manager.made[0] ?? {};
      expect([workspaceId, workdir]).not.toContain('');
      expect([await storage.isSlot(workspaceId), existsSync(workdir)]).toEqual([false, false]);
    });
  });
});
