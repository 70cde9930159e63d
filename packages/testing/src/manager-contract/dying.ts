import { describe, expect, it } from 'vitest';
import {
  type ContractManagerEvent,
  getFile,
  keyOf,
  type ManagerContractOptions,
  type ManagerMaker,
  putFile,
  useManagers,
  WAIT,
} from './contract-manager.ts';

/** What is behind a cached workspace goes away. */
export function dyingContract(options: ManagerContractOptions): void {
  describe('dying', () => {
    const managers = useManagers(options);

    if (options.survivesKill !== false) reattachingContract(options, managers);

    it('manager:dead-lost: where its data went too it is lost, and nothing new takes its id', async () => {
      const manager = await managers.open({ isVolatile: true });
      const first = await manager.getWorkspace(keyOf('u'));
      const other = await manager.getWorkspace(keyOf('v'));
      await options.kill(first);
      await expect.poll(() => first.isAlive, WAIT).toBe(false);
      const lost = { code: 'workspace-lost', details: { workspaceId: first.workspaceId } };
      await expect(manager.getWorkspace(keyOf('u'))).rejects.toMatchObject(lost);
      await expect(manager.lease(keyOf('u'))).rejects.toMatchObject(lost);
      expect(await manager.getWorkspace(keyOf('v'))).toBe(other);
      await manager.destroy(first.workspaceId);
      const fresh = await manager.getWorkspace(keyOf('u'));
      expect([fresh.isNew, fresh.isAlive]).toEqual([true, true]);
    });
  });
}

function reattachingContract(options: ManagerContractOptions, managers: ManagerMaker): void {
  it('manager:dead-reattached: the next get opens it again, with its data [G02]', async () => {
    const events: ContractManagerEvent[] = [];
    const manager = await managers.open({ onEvent: (event) => events.push(event) });
    const first = await manager.getWorkspace(keyOf('u'));
    await putFile(first, 'notes.txt', 'kept');
    await options.kill(first);
    await expect.poll(() => first.isAlive, WAIT).toBe(false);
    const all = await Promise.all([manager.getWorkspace(keyOf('u')), manager.getWorkspace(keyOf('u'))]);
    const [second] = all;
    expect(all[1]).toBe(second);
    expect(second).not.toBe(first);
    expect(second.workspaceId).toBe(first.workspaceId);
    expect(await getFile(second, 'notes.txt')).toBe('kept');
    expect(events.map(({ type }) => type).filter((type) => type !== 'workspace-failed')).toEqual([
      'workspace-created',
      ...events.filter(({ reason }) => reason === 'dead').map(({ type }) => type),
      'workspace-attached',
    ]);
  });
}
