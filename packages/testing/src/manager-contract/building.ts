import type { Workspace } from '@agent-workspace/core';
import { describe, expect, it, vi } from 'vitest';
import { keyOf, type ManagerContractOptions, passTime, useManagers, WAIT, yieldTurns } from './contract-manager.ts';
import { Gate } from './workspace-hooks.ts';

const DEFAULT_RACES = 1_000;
/** For each round of a race, on an engine that takes long. */
const RACE_TIMEOUT_MS = 600_000;

/** Builds, and what comes between them. */
export function buildingContract(options: ManagerContractOptions): void {
  describe('building', () => {
    const managers = useManagers(options);

    it('manager:not-initialized: hands out nothing before initialize()', async () => {
      const manager = await managers.create();
      await expect(manager.getWorkspace(keyOf('u'))).rejects.toMatchObject({
        code: 'manager-closed',
        details: { state: 'new' },
      });
      await manager.close('w-1');
      await manager.initialize();
      await manager.initialize();
      expect((await manager.getWorkspace(keyOf('u'))).status).toBe('ready');
    });

    it('manager:single-flight: builds a workspace once, however many ask at once', async () => {
      const built: Workspace[] = [];
      const manager = await managers.open({
        hooks: {
          onInitialize: async (workspace) => {
            built.push(workspace);
          },
        },
      });
      const all = await Promise.all(Array.from({ length: 50 }, () => manager.getWorkspace(keyOf('u'))));
      expect(built).toHaveLength(1);
      expect(new Set(all)).toEqual(new Set(built));
    });

    it("manager:no-waiting: a cached workspace is had while every other tenant's build hangs [A16]", async () => {
      const gate = new Gate();
      const manager = await managers.open({
        hooks: {
          onInitialize: async ({ workspaceId }, { signal }) => {
            if (workspaceId !== cachedId) await gate.pass(signal);
          },
        },
      });
      const cachedId = await manager.assignWorkspaceId(keyOf('cached'));
      const cached = await manager.getWorkspace(keyOf('cached'));
      const hanging = Array.from({ length: 20 }, (_, index) => manager.getWorkspace(keyOf(`slow-${index}`)));
      await vi.waitFor(() => expect(gate.arrived).toBe(20), WAIT);
      expect(await manager.getWorkspace(keyOf('cached'))).toBe(cached);
      await using lease = await manager.lease(keyOf('cached', 'agent', 'another'));
      expect(lease.workspace).toBe(cached);
      gate.open();
      expect(new Set(await Promise.all(hanging)).size).toBe(20);
    });

    it('manager:failure-not-remembered: tells a failed build to all who wait, and builds anew for the next', async () => {
      let builds = 0;
      const manager = await managers.open({
        hooks: {
          onInitialize: async () => {
            builds += 1;
            if (builds === 1) throw new Error('no room');
          },
        },
      });
      const waiting = [manager.getWorkspace(keyOf('u')), manager.getWorkspace(keyOf('u')), manager.lease(keyOf('u'))];
      for (const outcome of await Promise.allSettled(waiting)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'no room' } });
      }
      expect((await manager.getWorkspace(keyOf('u'))).status).toBe('ready');
      expect(builds).toBe(2);
    });

    it('manager:waiter-gives-up: whoever gives up waiting disturbs no other', async () => {
      const gate = new Gate();
      const manager = await managers.open({
        hooks: { onInitialize: (_workspace, { signal }) => gate.pass(signal) },
      });
      const abort = new AbortController();
      const impatient = manager.getWorkspace(keyOf('u'), { signal: abort.signal });
      const patient = manager.getWorkspace(keyOf('u'));
      await vi.waitFor(() => expect(gate.arrived).toBe(1), WAIT);
      abort.abort(new Error('gone home'));
      await expect(impatient).rejects.toThrow('gone home');
      gate.open();
      expect((await patient).status).toBe('ready');
      await expect(manager.getWorkspace(keyOf('v'), { signal: abort.signal })).rejects.toThrow('gone home');
      expect(gate.arrived).toBe(1);
    });

    it('manager:close-during-build: close() ends a build, and whoever waits is told', async () => {
      const gate = new Gate();
      const built: Workspace[] = [];
      const manager = await managers.open({
        hooks: {
          onInitialize: async (workspace, { signal }) => {
            built.push(workspace);
            if (built.length === 1) await gate.pass(signal);
          },
        },
      });
      const workspaceId = await manager.assignWorkspaceId(keyOf('u'));
      const waiting = [manager.getWorkspace(keyOf('u')), manager.lease(keyOf('u'))];
      await vi.waitFor(() => expect(gate.arrived).toBe(1), WAIT);
      const told = Promise.allSettled(waiting);
      await manager.close(workspaceId);
      const closed = { status: 'rejected', reason: { code: 'workspace-closed', details: { workspaceId } } };
      expect(await told).toMatchObject([closed, closed]);
      expect(built[0]?.status).toBe('closed');
      expect((await manager.getWorkspace(keyOf('u'))).status).toBe('ready');
    });

    it('manager:close-unknown: close() of an id that is not cached does nothing', async () => {
      const manager = await managers.open();
      const workspace = await manager.getWorkspace(keyOf('u'));
      await manager.close('unknown');
      await manager.close('../x');
      expect(workspace.status).toBe('ready');
    });

    it('manager:get-during-eviction: a get waits for the end of the eviction, then builds [G05]', async () => {
      const gate = new Gate();
      const steps: string[] = [];
      const manager = await managers.open({
        hooks: {
          onInitialize: async () => {
            steps.push('build');
          },
          onClose: async () => {
            steps.push('eviction begins');
            await gate.pass();
            steps.push('eviction ends');
          },
        },
      });
      const first = await manager.getWorkspace(keyOf('u'));
      const closing = manager.close(first.workspaceId);
      const getting = manager.getWorkspace(keyOf('u'));
      await vi.waitFor(() => expect(gate.arrived).toBe(1), WAIT);
      await yieldTurns();
      expect(steps).toEqual(['build', 'eviction begins']);
      gate.open();
      const second = await getting;
      await closing;
      expect(steps).toEqual(['build', 'eviction begins', 'eviction ends', 'build']);
      expect(second).not.toBe(first);
      expect(second.status).toBe('ready');
    });

    const races = options.races ?? DEFAULT_RACES;
    it(
      `manager:eviction-race: a get never gives a closed workspace, in ${races} rounds [G04]`,
      { timeout: RACE_TIMEOUT_MS },
      async () => {
        const ttlMs = 60_000;
        const manager = await managers.open({ ttlMs });
        const { workspaceId } = await manager.getWorkspace(keyOf('u'));
        for (let round = 0; round < races; round += 1) {
          passTime(ttlMs);
          const evicting = round % 2 === 0 ? manager.sweep() : manager.close(workspaceId);
          for (let hop = 0; hop < round % 7; hop += 1) await Promise.resolve();
          const lease = await manager.lease(keyOf('u'));
          expect(lease.workspace.isAlive, `in round ${round}`).toBe(true);
          await lease.workspace.backend.stat(lease.workspace.workdir);
          await lease[Symbol.asyncDispose]();
          await evicting;
        }
      },
    );
  });
}
