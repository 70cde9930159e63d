import { describe, expect, it } from 'vitest';
import { keyOf, type ManagerContractOptions, useManagers } from './contract-manager.ts';

const OWNED_BY_ANOTHER = { code: 'workspace-forbidden', details: { reason: 'owned-by-another' } };
const OWNER_UNKNOWN = { code: 'workspace-forbidden', details: { reason: 'owner-unknown' } };

/** An explicit id selects, and never authorises. */
export function authorizingContract(options: ManagerContractOptions): void {
  describe('authorizing', () => {
    const managers = useManagers(options);

    it("manager:explicit-own: an explicit id gives its user's workspace, open or not", async () => {
      const manager = await managers.open();
      const workspace = await manager.getWorkspace(keyOf('u', 'a'));
      const { workspaceId } = workspace;
      expect(await manager.getWorkspace({ ...keyOf('u', 'b', 't'), workspaceId })).toBe(workspace);
      await manager.close(workspaceId);
      expect((await manager.getWorkspace({ ...keyOf('u', 'b'), workspaceId })).workspaceId).toBe(workspaceId);
    });

    it("manager:forbidden-other-user: an explicit id of another's workspace is refused, open or not", async () => {
      const manager = await managers.open();
      const { workspaceId } = await manager.getWorkspace(keyOf('u'));
      const stranger = { ...keyOf('v'), workspaceId };
      await expect(manager.getWorkspace(stranger)).rejects.toMatchObject(OWNED_BY_ANOTHER);
      await expect(manager.lease(stranger)).rejects.toMatchObject(OWNED_BY_ANOTHER);
      await manager.close(workspaceId);
      await expect(manager.getWorkspace(stranger)).rejects.toMatchObject(OWNED_BY_ANOTHER);
    });

    it('manager:forbidden-unknown: an explicit id that nobody owns is refused', async () => {
      const manager = await managers.open();
      await expect(manager.getWorkspace({ ...keyOf('u'), workspaceId: 'w-1' })).rejects.toMatchObject(OWNER_UNKNOWN);
    });

    it('manager:explicit-derived: the id that a key derives is its own, and no one else’s, before it is open', async () => {
      const manager = await managers.open();
      const workspaceId = await manager.assignWorkspaceId({ ...keyOf('u'), workspaceId: 'unknown' });
      const stranger = { ...keyOf('v'), workspaceId };
      await expect(manager.getWorkspace(stranger)).rejects.toMatchObject(OWNER_UNKNOWN);
      expect((await manager.getWorkspace({ ...keyOf('u'), workspaceId })).workspaceId).toBe(workspaceId);
      await expect(manager.getWorkspace(stranger)).rejects.toMatchObject(OWNED_BY_ANOTHER);
    });

    it("manager:trusted: with trustWorkspaceIds an unknown id is its first user's", async () => {
      const manager = await managers.open({ trustWorkspaceIds: true });
      const workspace = await manager.getWorkspace({ ...keyOf('u'), workspaceId: 'w-1' });
      expect(workspace.workspaceId).toBe('w-1');
      expect(await manager.getWorkspace({ ...keyOf('u', 'b'), workspaceId: 'w-1' })).toBe(workspace);
      await expect(manager.getWorkspace({ ...keyOf('v'), workspaceId: 'w-1' })).rejects.toMatchObject(OWNED_BY_ANOTHER);
    });

    it('manager:refused-binds-nothing: a refused id changes nothing for its session', async () => {
      const manager = await managers.open({ isolation: 'per-session' });
      const key = keyOf('u', 'a', 's');
      await expect(manager.getWorkspace({ ...key, workspaceId: 'w-1' })).rejects.toMatchObject(OWNER_UNKNOWN);
      const [seen, seenAgain] = [
        await manager.assignWorkspaceId({ ...key, workspaceId: 'w-1' }),
        await manager.assignWorkspaceId({ ...key, workspaceId: 'w-1' }),
      ];
      expect(seen).not.toBe(seenAgain);
      const bound = await manager.assignWorkspaceId(key);
      expect(await manager.assignWorkspaceId({ ...key, workspaceId: 'w-1' })).toBe(bound);
    });
  });
}
