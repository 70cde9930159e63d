import type { Workspace } from '@agent-workspace/core';
import { describe, expect, it, vi } from 'vitest';
import {
  getFile,
  keyOf,
  type ManagerContractOptions,
  putFile,
  useManagers,
  WAIT,
  yieldTurns,
} from './contract-manager.ts';
import { openMany } from './evicting.ts';
import { Gate } from './workspace-hooks.ts';

const CLOSING = { code: 'manager-closed', details: { state: 'closing' }, isRetryable: true };
const CLOSED = { code: 'manager-closed', details: { state: 'closed' }, isRetryable: false };

/** The end of all workspaces, and of one with its data. */
export function closingContract(options: ManagerContractOptions): void {
  describe('closing', () => {
    const managers = useManagers(options);

    it('manager:close-all-drains: waits for leases, admits nobody meanwhile, and goes on afterwards', async () => {
      const manager = await managers.open();
      const lease = await manager.lease(keyOf('u'));
      const { workspace } = lease;
      const closing = Promise.all([manager.closeAll(), manager.closeAll()]);
      await yieldTurns();
      expect(workspace.status).toBe('ready');
      await expect(manager.getWorkspace(keyOf('u'))).rejects.toMatchObject(CLOSING);
      await expect(manager.createWorkspace(keyOf('v'))).rejects.toMatchObject(CLOSING);
      await expect(manager.lease(keyOf('v'))).rejects.toMatchObject(CLOSING);
      await expect(manager.destroy(workspace.workspaceId)).rejects.toMatchObject(CLOSING);
      await lease[Symbol.asyncDispose]();
      await closing;
      expect(workspace.status).toBe('closed');
      expect((await manager.getWorkspace(keyOf('u'))).status).toBe('ready');
    });

    it('manager:drain-timeout: waits for leases no longer than drainTimeoutMs', async () => {
      const manager = await managers.open({ drainTimeoutMs: 50 });
      const { workspace } = await manager.lease(keyOf('u'));
      await manager.closeAll();
      expect(workspace.status).toBe('closed');
    });

    it('manager:close-all-builds: aborts what is being built in a burst [G19]', async () => {
      const gate = new Gate();
      const made: Workspace[] = [];
      const manager = await managers.open({
        hooks: {
          onInitialize: async (workspace, { signal }) => {
            made.push(workspace);
            if (made.length > 2) await gate.pass(signal);
          },
        },
      });
      const ready = await openMany(manager, 2);
      const burst = Array.from({ length: 10 }, (_, index) => manager.getWorkspace(keyOf(`late-${index}`)));
      const told = Promise.allSettled(burst);
      await vi.waitFor(() => expect(gate.arrived).toBe(10), WAIT);
      await manager.closeAll();
      for (const outcome of await told) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'workspace-closed' } });
      }
      expect(ready.map(({ status }) => status)).toEqual(['closed', 'closed']);
      expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'closed'));
    });

    it('manager:close-all-midway: nothing that comes in the middle of a burst is left open [G19]', async () => {
      const made: Workspace[] = [];
      const begun = Promise.withResolvers<void>();
      const manager = await managers.open({
        hooks: {
          onInitialize: async (workspace) => {
            made.push(workspace);
            begun.resolve();
          },
        },
      });
      const burst = Array.from({ length: 10 }, async (_, index) => {
        for (let hop = 0; hop < index * 3; hop += 1) await Promise.resolve();
        await manager.getWorkspace(keyOf(`u-${index}`));
      });
      const settled = Promise.allSettled(burst);
      await begun.promise;
      await manager[Symbol.asyncDispose]();
      await settled;
      expect(new Set(made.map(({ status }) => status))).toEqual(new Set(['closed']));
    });

    it('manager:close-all-parallel: closes side by side, and waits for what others have begun to close', async () => {
      const [first, others] = [new Gate(), new Gate()];
      const manager = await managers.open({
        hooks: { onClose: ({ workspaceId }) => (workspaceId === firstId ? first : others).pass() },
      });
      const all = await openMany(manager, 4);
      const firstId = all[0]?.workspaceId ?? '';
      const closing = manager.close(firstId);
      let isDone = false;
      const closingAll = manager.closeAll().then(() => {
        isDone = true;
      });
      await vi.waitFor(() => expect([first.arrived, others.arrived]).toEqual([1, 3]), WAIT);
      others.open();
      await expect.poll(() => all.slice(1).every(({ status }) => status === 'closed'), WAIT).toBe(true);
      await yieldTurns();
      expect(isDone).toBe(false);
      first.open();
      await Promise.all([closing, closingAll]);
      expect(all[0]?.status).toBe('closed');
    });

    it('manager:close-all-failure: a workspace that will not close keeps no other open', async () => {
      const manager = await managers.open({
        hooks: {
          onClose: async ({ workspaceId }) => {
            if (workspaceId === failingId) throw new Error('will not close');
          },
        },
      });
      const all = await openMany(manager, 3);
      const failingId = all[0]?.workspaceId;
      await manager.closeAll();
      expect(all.map(({ status }) => status)).toEqual(['closed', 'closed', 'closed']);
    });

    it('manager:dispose: closes all, may be repeated, and is for good', async () => {
      const manager = await managers.open();
      const workspace = await manager.getWorkspace(keyOf('u'));
      await Promise.all([manager[Symbol.asyncDispose](), manager.closeAll(), manager[Symbol.asyncDispose]()]);
      await manager[Symbol.asyncDispose]();
      await manager.closeAll();
      await manager.close(workspace.workspaceId);
      expect(workspace.status).toBe('closed');
      await expect(manager.getWorkspace(keyOf('u'))).rejects.toMatchObject(CLOSED);
      await expect(manager.initialize()).rejects.toMatchObject(CLOSED);
    });

    it('manager:dispose-unopened: disposes of what was never initialized', async () => {
      const manager = await managers.create();
      await manager[Symbol.asyncDispose]();
      await expect(manager.initialize()).rejects.toMatchObject(CLOSED);
    });

    it('manager:dispose-during-initialize: ends a manager that is just being initialized [G17]', async () => {
      const manager = await managers.create({ isolation: 'per-session', prewarm: { size: 1 } });
      const initializing = manager.initialize();
      await manager[Symbol.asyncDispose]();
      await initializing;
      await expect(manager.getWorkspace(keyOf('u'))).rejects.toMatchObject(CLOSED);
    });

    it('manager:destroy: removes an open workspace with its data, and begins anew under its id', async () => {
      const place = managers.place();
      const manager = await managers.open({}, place);
      const workspace = await manager.getWorkspace(keyOf('u'));
      const { workspaceId } = workspace;
      await putFile(workspace, 'notes.txt', 'gone');
      await manager.destroy(workspaceId);
      expect(workspace.status).toBe('closed');
      expect(await options.hasData(place, workspaceId)).toBe(false);
      const fresh = await manager.getWorkspace(keyOf('u'));
      expect(fresh.isNew).toBe(true);
      expect(await getFile(fresh, 'notes.txt')).toBeUndefined();
    });

    it('manager:destroy-closed: removes what is not open here', async () => {
      const place = managers.place();
      const manager = await managers.open({}, place);
      const { workspaceId } = await manager.getWorkspace(keyOf('u'));
      await manager.close(workspaceId);
      expect(await options.hasData(place, workspaceId)).toBe(true);
      await manager.destroy(workspaceId);
      expect(await options.hasData(place, workspaceId)).toBe(false);
      await manager.destroy('never-there');
    });

    it('manager:destroy-owner: whose a destroyed workspace was is forgotten', async () => {
      const manager = await managers.open({ trustWorkspaceIds: true });
      const key = { ...keyOf('u'), workspaceId: 'w-1' };
      await manager.getWorkspace(key);
      await manager.destroy('w-1');
      const taken = await manager.getWorkspace({ ...keyOf('v'), workspaceId: 'w-1' });
      expect(taken.isNew).toBe(true);
      await expect(manager.getWorkspace(key)).rejects.toMatchObject({ code: 'workspace-forbidden' });
    });
  });
}
