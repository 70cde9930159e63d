import { describe, expect, it } from 'vitest';
import {
  type ContractManagerEvent,
  keyOf,
  type ManagerContractOptions,
  passTime,
  useManagers,
} from './contract-manager.ts';

/** What a manager tells. */
export function tellingContract(options: ManagerContractOptions): void {
  describe('telling', () => {
    const managers = useManagers(options);

    it('manager:events: tells what happens, in its order, with how long it took', async () => {
      const events: ContractManagerEvent[] = [];
      const manager = await managers.open({ ttlMs: 60_000, onEvent: (event) => events.push(event) });
      const { workspaceId } = await manager.getWorkspace(keyOf('u'));
      await manager.getWorkspace(keyOf('u'));
      await manager.close(workspaceId);
      await manager.getWorkspace(keyOf('u'));
      passTime(60_000);
      await manager.sweep();
      await manager.getWorkspace(keyOf('u'));
      await manager.destroy(workspaceId);
      await manager.getWorkspace(keyOf('u'));
      await manager.closeAll();
      expect(events.map(({ type, reason }) => reason ?? type)).toEqual([
        'workspace-created',
        'closed',
        'workspace-attached',
        'idle',
        'workspace-attached',
        'destroyed',
        'workspace-created',
        'shutdown',
      ]);
      expect(new Set(events.map((event) => event.workspaceId))).toEqual(new Set([workspaceId]));
      expect(Math.min(...events.map(({ durationMs }) => durationMs))).toBeGreaterThanOrEqual(0);
    });

    it('manager:events-failed: tells a failed build, with its error', async () => {
      const events: ContractManagerEvent[] = [];
      const error = new Error('no room');
      const manager = await managers.open({
        onEvent: (event) => events.push(event),
        hooks: { onInitialize: () => Promise.reject(error) },
      });
      const workspaceId = await manager.assignWorkspaceId(keyOf('u'));
      await expect(manager.getWorkspace(keyOf('u'))).rejects.toBe(error);
      expect(events).toEqual([
        { type: 'workspace-failed', operation: 'build', workspaceId, error, durationMs: expect.any(Number) },
      ]);
    });

    it('manager:listener-throws: a listener that throws disturbs no one', async () => {
      const manager = await managers.open({
        onEvent: () => {
          throw new Error('of the listener');
        },
      });
      const workspace = await manager.getWorkspace(keyOf('u'));
      expect(workspace.status).toBe('ready');
      await manager.close(workspace.workspaceId);
      expect(workspace.status).toBe('closed');
    });
  });
}
