import { collectToolResult, type Workspace } from '@agent-workspace/core';
import { describe, expect, it, vi } from 'vitest';
import {
  type ContractManager,
  type ContractManagerEvent,
  getFile,
  keyOf,
  type ManagerContractOptions,
  passTime,
  putFile,
  stopTime,
  useManagers,
  WAIT,
} from './contract-manager.ts';
import { Gate } from './workspace-hooks.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What time does to a workspace, and what keeps it. */
export function evictingContract(options: ManagerContractOptions): void {
  describe('evicting', () => {
    const managers = useManagers(options);

    it('manager:ttl: closes what was not used for an hour, unless set otherwise, and no other', async () => {
      stopTime();
      const manager = await managers.open();
      const old = await manager.getWorkspace(keyOf('u'));
      passTime(30 * MINUTE_MS);
      const young = await manager.getWorkspace(keyOf('v'));
      passTime(30 * MINUTE_MS - 1_000);
      await manager.sweep();
      expect(old.status).toBe('ready');
      passTime(1_000);
      await manager.sweep();
      expect([old.status, young.status]).toEqual(['closed', 'ready']);
    });

    it('manager:ttl-option: keeps to the time that it is given [G15]', async () => {
      stopTime();
      const manager = await managers.open({ ttlMs: MINUTE_MS });
      const workspace = await manager.getWorkspace(keyOf('u'));
      passTime(MINUTE_MS - 1_000);
      await manager.sweep();
      expect(workspace.status).toBe('ready');
      passTime(1_000);
      await manager.sweep();
      expect(workspace.status).toBe('closed');
    });

    it('manager:ttl-last-use: counts from the last use: a get, or a call of the workspace itself', async () => {
      stopTime();
      const manager = await managers.open({ ttlMs: HOUR_MS });
      const workspace = await manager.getWorkspace(keyOf('u'));
      passTime(50 * MINUTE_MS);
      await manager.getWorkspace(keyOf('u'));
      passTime(50 * MINUTE_MS);
      await manager.sweep();
      await workspace.session({ agentId: 'a' }).listTools();
      passTime(50 * MINUTE_MS);
      await manager.sweep();
      expect(workspace.status).toBe('ready');
      passTime(10 * MINUTE_MS);
      await manager.sweep();
      expect(workspace.status).toBe('closed');
    });

    it('manager:sweeper: closes them by itself, as often as it is told', async () => {
      const manager = await managers.open({ ttlMs: 30, sweepIntervalMs: 20 });
      const workspace = await manager.getWorkspace(keyOf('u'));
      await expect.poll(() => workspace.status, WAIT).toBe('closed');
    });

    it('manager:eviction-keeps-data: what an agent has written is there when it comes back', async () => {
      stopTime();
      const manager = await managers.open({ ttlMs: HOUR_MS });
      const first = await manager.getWorkspace(keyOf('u'));
      await putFile(first, 'notes.txt', 'kept');
      passTime(HOUR_MS);
      await manager.sweep();
      const second = await manager.getWorkspace(keyOf('u'));
      expect(second).not.toBe(first);
      expect(second.isNew).toBe(false);
      expect(await getFile(second, 'notes.txt')).toBe('kept');
    });

    it('manager:lease-holds: a lease keeps it open until the last one is given back [G18]', async () => {
      stopTime();
      const manager = await managers.open({ ttlMs: HOUR_MS });
      const [one, two] = await Promise.all([
        manager.lease(keyOf('u', 'agent', 's1')),
        manager.lease(keyOf('u', 'agent', 's2')),
      ]);
      const { workspace } = one;
      expect(two.workspace).toBe(workspace);
      expect([one.session.scope, two.session.scope]).toEqual([
        { agentId: 'agent', sessionId: 's1' },
        { agentId: 'agent', sessionId: 's2' },
      ]);
      await one[Symbol.asyncDispose]();
      await one[Symbol.asyncDispose]();
      passTime(2 * HOUR_MS);
      await manager.sweep();
      expect(await two.session.listSkills()).toEqual([]);
      await two[Symbol.asyncDispose]();
      await manager.sweep();
      expect(workspace.status).toBe('ready');
      passTime(HOUR_MS);
      await manager.sweep();
      expect(workspace.status).toBe('closed');
    });

    it('manager:call-holds: a tool that runs, and its stream, keep it open', async () => {
      stopTime();
      const manager = await managers.open({ ttlMs: HOUR_MS });
      const workspace = await manager.getWorkspace(keyOf('u'));
      const running = bash(workspace, { command: 'until [ -e go ]; do sleep 0.05; done; echo went' });
      await expect.poll(() => workspace.isInUse, WAIT).toBe(true);
      passTime(2 * HOUR_MS);
      await manager.sweep();
      expect(workspace.status).toBe('ready');
      await putFile(workspace, 'go', '');
      expect(await running).toContain('went');
      passTime(HOUR_MS);
      await manager.sweep();
      expect(workspace.status).toBe('closed');
    });

    it('manager:background-holds: a command in the background keeps it open, but not for ever', async () => {
      stopTime();
      const manager = await managers.open({ ttlMs: HOUR_MS, maxBackgroundMs: 3 * HOUR_MS });
      const workspace = await manager.getWorkspace(keyOf('u'));
      await bash(workspace, { command: 'sleep 600', run_in_background: true });
      passTime(3 * HOUR_MS - 1_000);
      await manager.sweep();
      expect(workspace.status).toBe('ready');
      passTime(2_000);
      await manager.sweep();
      expect(workspace.status).toBe('closed');
    });

    it('manager:sweep-parallel: closes side by side, and a failure stops no other', async () => {
      const gate = new Gate();
      const events: ContractManagerEvent[] = [];
      const manager = await managers.open({
        ttlMs: HOUR_MS,
        onEvent: (event) => events.push(event),
        hooks: {
          onClose: async ({ workspaceId }) => {
            await gate.pass();
            if (workspaceId === failingId) throw new Error('will not close');
          },
        },
      });
      const all = await openMany(manager, 5);
      const failingId = all[2]?.workspaceId;
      passTime(HOUR_MS);
      const sweeping = manager.sweep();
      await vi.waitFor(() => expect(gate.arrived).toBe(5), WAIT);
      gate.open();
      await sweeping;
      expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'closed'));
      const ended = events.filter(({ type }) => type === 'workspace-evicted');
      expect(ended.map(({ reason }) => reason)).toEqual(['idle', 'idle', 'idle', 'idle']);
      expect(events.find(({ type }) => type === 'workspace-failed')).toMatchObject({
        operation: 'evict',
        workspaceId: failingId,
        error: { message: 'will not close' },
      });
      expect((await manager.getWorkspace(keyOf('u-2'))).status).toBe('ready');
    });
  });
}

export async function openMany(manager: ContractManager, count: number): Promise<readonly Workspace[]> {
  return await Promise.all(Array.from({ length: count }, (_, index) => manager.getWorkspace(keyOf(`u-${index}`))));
}

async function bash(workspace: Workspace, input: Readonly<Record<string, unknown>>): Promise<string> {
  const tools = await workspace.session({ agentId: 'agent', sessionId: 'session' }).listTools();
  const tool = tools.find(({ name }) => name === 'Bash');
  if (tool === undefined) throw new Error('There is no tool Bash.');
  const result = await collectToolResult(tool.call(input));
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
