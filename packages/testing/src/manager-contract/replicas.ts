import { describe, expect, it } from 'vitest';
import { keyOf, type ManagerContractOptions, useManagers, yieldTurns } from './contract-manager.ts';

/** Several managers of one service, after each other and at once. For managers with a storage bound. */
export function replicasContract(options: ManagerContractOptions): void {
  describe('replicas', () => {
    const managers = useManagers(options);

    it('manager:replica-restart: a key finds its workspace again, and an owner his', async () => {
      const place = managers.place();
      const before = await managers.open({ isolation: 'per-session' }, place);
      const { workspaceId } = await before.getWorkspace(keyOf('u', 'a', 's'));
      await before[Symbol.asyncDispose]();
      const after = await managers.open({ isolation: 'per-session' }, place);
      expect((await after.getWorkspace(keyOf('u', 'a', 's'))).workspaceId).toBe(workspaceId);
      expect((await after.getWorkspace({ ...keyOf('u', 'b'), workspaceId })).workspaceId).toBe(workspaceId);
      await expect(after.getWorkspace({ ...keyOf('v'), workspaceId })).rejects.toMatchObject({
        code: 'workspace-forbidden',
        details: { reason: 'owned-by-another' },
      });
    });

    it('manager:replica-race: two replicas bind a session to one workspace', async () => {
      const place = managers.place();
      const settings = { isolation: 'per-session' } as const;
      const [one, two] = [await managers.open(settings, place), await managers.open(settings, place)];
      const sessions = Array.from({ length: 5 }, (_, index) => keyOf('u', 'a', `s${index}`));
      const idsOf = async (replica: typeof one): Promise<readonly string[]> =>
        await Promise.all(sessions.map(async (key) => (await replica.getWorkspace(key)).workspaceId));
      const [ids, sameIds] = await Promise.all([idsOf(one), idsOf(two)]);
      expect(new Set(ids).size).toBe(sessions.length);
      expect(sameIds).toEqual(ids);
    });

    it('manager:replica-one-at-a-time: no two replicas build one workspace at the same time', async () => {
      const place = managers.place();
      let [building, most, builds] = [0, 0, 0];
      const hooks = {
        onInitialize: async (): Promise<void> => {
          building += 1;
          builds += 1;
          most = Math.max(most, building);
          await yieldTurns();
          building -= 1;
        },
      };
      const replicas = [await managers.open({ hooks }, place), await managers.open({ hooks }, place)];
      await Promise.all(replicas.map((replica) => replica.getWorkspace(keyOf('u'))));
      expect([builds, most]).toEqual([2, 1]);
    });

    it('manager:replica-forgotten: what one has destroyed is anew for all', async () => {
      const place = managers.place();
      const [one, two] = [await managers.open({}, place), await managers.open({}, place)];
      const { workspaceId } = await one.getWorkspace(keyOf('u'));
      await one.destroy(workspaceId);
      expect((await two.getWorkspace(keyOf('u'))).isNew).toBe(true);
    });
  });
}
