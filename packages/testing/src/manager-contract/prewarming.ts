import type { Workspace } from '@agent-workspace/core';
import { describe, expect, it, vi } from 'vitest';
import {
  type ContractManagerEvent,
  getFile,
  keyOf,
  type ManagerContractOptions,
  type ManagerMaker,
  putFile,
  useManagers,
  WAIT,
  yieldTurns,
} from './contract-manager.ts';
import { Gate } from './workspace-hooks.ts';

/** Counts what is built, in the order of its beginning. */
class Builds {
  readonly made: Workspace[] = [];
  readonly events: ContractManagerEvent[] = [];
  readonly onEvent = (event: ContractManagerEvent): void => void this.events.push(event);
  readonly onInitialize = async (workspace: Workspace): Promise<void> => void this.made.push(workspace);

  get ids(): readonly string[] {
    return this.made.map(({ workspaceId }) => workspaceId);
  }

  /** So many slots have become ready. */
  async untilPrewarmed(count: number): Promise<void> {
    const ready = (): number => this.events.filter(({ type }) => type === 'workspace-prewarmed').length;
    await expect.poll(ready, WAIT).toBe(count);
  }
}

/** Workspaces that are built before anyone asks. */
export function prewarmingContract(options: ManagerContractOptions): void {
  const isolation = 'per-session';

  describe('prewarming', () => {
    const managers = useManagers(options);

    it('manager:prewarm-handed-over: hands over what is ready, and makes another', async () => {
      const builds = new Builds();
      const { onEvent, onInitialize } = builds;
      const manager = await managers.open({ isolation, prewarm: { size: 1 }, onEvent, hooks: { onInitialize } });
      await builds.untilPrewarmed(1);
      const workspace = await manager.getWorkspace(keyOf('u', 'a', 's1'));
      expect(workspace).toBe(builds.made[0]);
      expect(await manager.getWorkspace(keyOf('u', 'a', 's1'))).toBe(workspace);
      await builds.untilPrewarmed(2);
      expect(await manager.getWorkspace(keyOf('v', 'a', 's2'))).toBe(builds.made[1]);
    });

    it('manager:prewarm-in-flight: awaits a slot that is being built, and starts no other for it', async () => {
      const gate = new Gate();
      const builds = new Builds();
      const manager = await managers.open({
        isolation,
        prewarm: { size: 1, maxCreating: 1 },
        hooks: {
          onInitialize: async (workspace, { signal }) => {
            await builds.onInitialize(workspace);
            await gate.pass(signal);
          },
        },
      });
      await vi.waitFor(() => expect(gate.arrived).toBe(1), WAIT);
      const getting = manager.getWorkspace(keyOf('u', 'a', 's'));
      await yieldTurns();
      expect(gate.arrived).toBe(1);
      gate.open();
      expect(await getting).toBe(builds.made[0]);
    });

    it('manager:prewarm-max-creating: builds no more at once than it may', async () => {
      const gate = new Gate();
      const builds = new Builds();
      await managers.open({
        isolation,
        prewarm: { size: 5, maxCreating: 2 },
        onEvent: builds.onEvent,
        hooks: { onInitialize: (_workspace, { signal }) => gate.pass(signal) },
      });
      await vi.waitFor(() => expect(gate.arrived).toBe(2), WAIT);
      await yieldTurns();
      expect(gate.arrived).toBe(2);
      gate.open();
      await builds.untilPrewarmed(5);
    });

    it('manager:prewarm-failed-slot: whoever has a slot that fails gets a workspace all the same [G12]', async () => {
      const gate = new Gate();
      const builds = new Builds();
      const manager = await managers.open({
        isolation,
        prewarm: { size: 1, maxCreating: 2 },
        onEvent: builds.onEvent,
        hooks: {
          onInitialize: async (workspace, { signal }) => {
            await builds.onInitialize(workspace);
            if (builds.made.length === 1) {
              await gate.pass(signal);
              throw new Error('no room');
            }
          },
        },
      });
      await vi.waitFor(() => expect(gate.arrived).toBe(1), WAIT);
      const getting = manager.getWorkspace(keyOf('u', 'a', 's'));
      // The next slot is begun when this one is taken.
      await vi.waitFor(() => expect(builds.made).toHaveLength(2), WAIT);
      gate.open();
      const workspace = await getting;
      expect(workspace.isAlive).toBe(true);
      expect(workspace.workspaceId).toBe(builds.ids[0]);
      const failures = builds.events.filter(({ type }) => type === 'workspace-failed');
      expect(failures.map(({ operation }) => operation)).toEqual(['prewarm']);
    });

    it('manager:prewarm-dead-slot: hands over nothing that is dead [G07]', async () => {
      const builds = new Builds();
      const { onEvent, onInitialize } = builds;
      const manager = await managers.open({ isolation, prewarm: { size: 2 }, onEvent, hooks: { onInitialize } });
      await builds.untilPrewarmed(2);
      const [killed] = builds.made;
      if (killed === undefined) throw new Error('There is no slot to kill.');
      await options.kill(killed);
      const all = await Promise.all(['s1', 's2'].map((session) => manager.getWorkspace(keyOf('u', 'a', session))));
      for (const workspace of all) {
        expect(workspace).not.toBe(killed);
        await putFile(workspace, 'notes.txt', 'alive');
        expect(await getFile(workspace, 'notes.txt')).toBe('alive');
      }
    });

    it('manager:prewarm-never-recycled: what a tenant has had goes to no other [G09]', async () => {
      const builds = new Builds();
      const { onEvent, onInitialize } = builds;
      const manager = await managers.open({ isolation, prewarm: { size: 1 }, onEvent, hooks: { onInitialize } });
      await builds.untilPrewarmed(1);
      const first = await manager.getWorkspace(keyOf('u1', 'a', 's'));
      await putFile(first, 'secret.txt', 'of u1');
      await manager.close(first.workspaceId);
      await builds.untilPrewarmed(2);
      const second = await manager.getWorkspace(keyOf('u2', 'a', 's'));
      expect(second.workspaceId).not.toBe(first.workspaceId);
      expect(await getFile(second, 'secret.txt')).toBeUndefined();
      expect((await second.backend.readDirectory(second.workdir)).map(({ name }) => name)).toEqual(['.workspace']);
    });

    it('manager:prewarm-burst: a burst that is larger than the buffer is served [G11]', async () => {
      const builds = new Builds();
      const { onEvent, onInitialize } = builds;
      const manager = await managers.open({ isolation, prewarm: { size: 1 }, onEvent, hooks: { onInitialize } });
      await builds.untilPrewarmed(1);
      const sessions = Array.from({ length: 4 }, (_, index) => keyOf('u', 'a', `s${index}`));
      const all = await Promise.all(sessions.map((key) => manager.getWorkspace(key)));
      expect(new Set(all.map(({ workspaceId }) => workspaceId)).size).toBe(4);
      expect(all.map(({ isAlive }) => isAlive)).toEqual([true, true, true, true]);
    });

    it('manager:prewarm-explicit-id: is not for an explicit id, refused or not', async () => {
      const builds = new Builds();
      const { onEvent, onInitialize } = builds;
      const manager = await managers.open({
        isolation,
        trustWorkspaceIds: true,
        prewarm: { size: 1 },
        onEvent,
        hooks: { onInitialize },
      });
      await builds.untilPrewarmed(1);
      const named = await manager.getWorkspace({ ...keyOf('u', 'a', 's'), workspaceId: 'w-1' });
      expect(named.workspaceId).toBe('w-1');
      const refused = manager.getWorkspace({ ...keyOf('v', 'a', 's'), workspaceId: 'w-1' });
      await expect(refused).rejects.toMatchObject({ code: 'workspace-forbidden' });
      expect(await manager.getWorkspace(keyOf('v', 'a', 's'))).toBe(builds.made[0]);
    });

    it('manager:prewarm-create: createWorkspace() takes one that is ready', async () => {
      const builds = new Builds();
      const { onEvent, onInitialize } = builds;
      const manager = await managers.open({ isolation, prewarm: { size: 1 }, onEvent, hooks: { onInitialize } });
      await builds.untilPrewarmed(1);
      expect(await manager.createWorkspace(keyOf('u'))).toBe(builds.made[0]);
    });

    it('manager:prewarm-failure-again: a get that fails with its slot does not keep the next from it [G12]', async () => {
      let isFull = true;
      const manager = await managers.open({
        isolation,
        prewarm: { size: 1, maxCreating: 1 },
        hooks: {
          onInitialize: async () => {
            if (isFull) throw new Error('no room');
          },
        },
      });
      await expect(manager.getWorkspace(keyOf('u', 'a', 's'))).rejects.toThrow('no room');
      isFull = false;
      expect((await manager.getWorkspace(keyOf('u', 'a', 's'))).isAlive).toBe(true);
    });

    it('manager:prewarm-shutdown: the end waits for what is being built, and removes what nobody took', async () => {
      const gate = new Gate();
      const builds = new Builds();
      const place = managers.place();
      const hooks = {
        onInitialize: async (workspace: Workspace, { signal }: { readonly signal: AbortSignal }): Promise<void> => {
          await builds.onInitialize(workspace);
          if (builds.made.length === 3) await gate.pass(signal);
        },
      };
      const settings = { isolation, prewarm: { size: 2, maxCreating: 1 }, onEvent: builds.onEvent, hooks } as const;
      const manager = await managers.open(settings, place);
      await builds.untilPrewarmed(2);
      const taken = await manager.getWorkspace(keyOf('u', 'a', 's'));
      await vi.waitFor(() => expect(gate.arrived).toBe(1), WAIT);
      await manager[Symbol.asyncDispose]();
      expect(builds.made.map(({ status }) => status)).toEqual(['closed', 'closed', 'closed']);
      const left = await Promise.all(builds.ids.map((workspaceId) => options.hasData(place, workspaceId)));
      expect(left).toEqual(builds.ids.map((workspaceId) => workspaceId === taken.workspaceId));
    });

    it.each([0, -1, 1.5, Number.NaN])('manager:prewarm-invalid: refuses the size %d', async (size) => {
      const refused = { code: 'manager-options-invalid', details: { option: 'prewarm.size' } };
      await expect(managers.open({ isolation, prewarm: { size } })).rejects.toMatchObject(refused);
    });

    const grainsContract = options.isStorageBound ? boundContract : unboundContract;
    grainsContract(managers);
  });
}

function boundContract(managers: ManagerMaker): void {
  it('manager:prewarm-bound: a slot is bound to its agent for good, with a storage', async () => {
    const builds = new Builds();
    const { onEvent, onInitialize } = builds;
    const place = managers.place();
    const manager = await managers.open({ prewarm: { size: 1 }, onEvent, hooks: { onInitialize } }, place);
    await builds.untilPrewarmed(1);
    const workspace = await manager.getWorkspace(keyOf('u'));
    expect(workspace).toBe(builds.made[0]);
    await putFile(workspace, 'notes.txt', 'kept');
    await manager[Symbol.asyncDispose]();
    const later = await managers.open({}, place);
    const again = await later.getWorkspace(keyOf('u'));
    expect(again.workspaceId).toBe(workspace.workspaceId);
    expect(await getFile(again, 'notes.txt')).toBe('kept');
  });
}

function unboundContract(managers: ManagerMaker): void {
  it.each(['per-agent', 'per-user'] as const)(
    'manager:prewarm-unbound: is refused %s without a storage that remembers whose a slot became',
    async (grain) => {
      const manager = await managers.create({ isolation: grain, prewarm: { size: 1 } });
      const refused = { code: 'manager-options-invalid', details: { option: 'prewarm' } };
      await expect(manager.initialize()).rejects.toMatchObject(refused);
    },
  );
}
