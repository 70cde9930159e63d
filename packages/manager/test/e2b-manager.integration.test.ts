import { randomUUID } from 'node:crypto';
import { E2BWorkspace, listManagedSandboxes } from '@agent-workspace/e2b';
import { TemporaryDirectory } from '@agent-workspace/testing';
import type { Sandbox } from 'e2b';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { E2BWorkspaceManager, type E2BWorkspaceManagerOptions } from '../src/e2b/index.ts';
import { type ManagerEvent, MemoryStorage } from '../src/index.ts';
import { SqliteStorage } from '../src/storage/sqlite/index.ts';
import { hasSandboxes, START_MS, startE2B, type TestE2B } from './support/e2b-emulator.ts';
import { killGateway } from './support/kill-gateway.ts';
import { killService } from './support/kill-service.ts';
import { WAIT } from './support/wait.ts';

const KEY = { userId: 'u', agentId: 'a', sessionId: 's' };
const SLOW = { timeout: 180_000 };
const LIFE_MS = 600_000;

describe.skipIf(!hasSandboxes)('E2BWorkspaceManager', () => {
  let e2b: TestE2B;
  let directory: TemporaryDirectory;
  let managerId: string;
  let events: ManagerEvent[];

  beforeAll(async () => {
    e2b = await startE2B();
  }, START_MS);

  afterAll(() => e2b[Symbol.asyncDispose](), START_MS);

  beforeEach(async () => {
    directory = await TemporaryDirectory.create();
    managerId = randomUUID();
    events = [];
  });

  afterEach(async () => {
    vi.useRealTimers();
    e2b.emulator.faults.clear();
    await killAll(managerId);
    await directory[Symbol.asyncDispose]();
  });

  function open(options: E2BWorkspaceManagerOptions = {}): Promise<E2BWorkspaceManager> {
    const onEvent = (event: ManagerEvent): void => void events.push(event);
    return E2BWorkspaceManager.open({ ...e2b.connection, managerId, onEvent, ...options });
  }

  /** What a manager has left, by the ids of the workspaces. */
  async function states(of: string = managerId): Promise<Readonly<Record<string, 'running' | 'paused'>>> {
    const found = await listManagedSandboxes({ ...e2b.connection, managerId: of });
    return Object.fromEntries(
      found.map(({ workspaceId, isRunning }) => [workspaceId, isRunning ? 'running' : 'paused']),
    );
  }

  async function killAll(of: string): Promise<void> {
    const options = { ...e2b.connection, managerId: of };
    for (const workspaceId of Object.keys(await states(of)))
      await new E2BWorkspace({ ...options, workspaceId }).destroy();
  }

  /** As a host that was killed has left it, with nobody's connection that would wake it. */
  function makeSandbox(of: string, workspaceId: string): Promise<Sandbox> {
    const metadata = { agentWorkspaceManager: of, agentWorkspaceId: workspaceId };
    return e2b.client.Sandbox.create('base', { metadata, timeoutMs: LIFE_MS });
  }

  async function leave(workspaceId: string): Promise<void> {
    await using _left = await E2BWorkspace.open({ ...e2b.connection, managerId, workspaceId });
  }

  const notes = ({ backend, workdir }: E2BWorkspace): Promise<string> =>
    backend.readFile(`${workdir}/notes.txt`).then(({ bytes }) => Buffer.from(bytes).toString('utf8'));

  it('pauses what is evicted, and kills what is destroyed and the slots that nobody took [E12]', SLOW, async () => {
    const manager = await open({ isolation: 'per-session', prewarm: { size: 1 } });
    const [evicted, destroyed] = [
      await manager.getWorkspace(KEY),
      await manager.getWorkspace({ ...KEY, sessionId: 'other' }),
    ];
    await expect.poll(() => events.filter(({ type }) => type === 'workspace-prewarmed').length, WAIT).toBe(3);
    await manager.close(evicted.workspaceId);
    await manager.destroy(destroyed.workspaceId);
    expect(Object.values(await states()).toSorted()).toEqual(['paused', 'running']);
    await manager[Symbol.asyncDispose]();
    expect(await states()).toEqual({ [evicted.workspaceId]: 'paused' });
    expect(evicted.isPersistent).toBe(true);
  });

  it('attaches again to a sandbox whose gateway has died for good, with its data [G02]', SLOW, async () => {
    await using manager = await open();
    const first = await manager.getWorkspace(KEY);
    const { sandboxId } = first;
    await first.backend.writeFile(`${first.workdir}/notes.txt`, 'kept');
    await killGateway(first, '/home/user/.agent-workspace/gateway.pid');
    const second = await manager.getWorkspace(KEY);
    expect([second.sandboxId, second.isNew]).toEqual([sandboxId, false]);
    expect(await notes(second)).toBe('kept');
  });

  it('has a workspace found again from another process by its key, with nothing but a managerId', SLOW, async () => {
    const first = await open();
    const { workspaceId, backend, workdir } = await first.getWorkspace(KEY);
    await backend.writeFile(`${workdir}/notes.txt`, 'kept');
    await first[Symbol.asyncDispose]();
    await using second = await open();
    const again = await second.getWorkspace(KEY);
    expect([again.workspaceId, again.isNew]).toEqual([workspaceId, false]);
    expect(await notes(again)).toBe('kept');
  });

  it('warns where a workspace would be found again on this host alone', async () => {
    const lines: string[] = [];
    const none = (): void => undefined;
    const logger = { debug: none, info: none, warn: (line: string) => void lines.push(line), error: none };
    await using _here = await open({ managerId: undefined, logger });
    await using _anywhere = await open({ logger });
    await using _bound = await open({ managerId: undefined, storage: new MemoryStorage(), logger });
    expect(lines).toEqual([expect.stringContaining('Without managerId')]);
  });

  describe('reconciliation', () => {
    it('adopts what has an owner, kills what was nobody’s, and touches nothing else [G21]', SLOW, async () => {
      const path = directory.at('manager.db');
      const service = await killService({ engine: 'e2b', path, env: { ...e2b.emulator.env } });
      // However long all of this takes.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
      try {
        const strangers = [
          await e2b.client.Sandbox.create('base', { timeoutMs: LIFE_MS }),
          await makeSandbox(managerId, service.workspaceId),
        ];
        await using storage = new SqliteStorage({ path });
        await using manager = await open({ managerId: undefined, storage });
        const plan = async (): Promise<readonly string[]> =>
          (await manager.reconcile({ dryRun: true }))
            .map(({ workspaceId, action, reason }) =>
              [workspaceId === service.workspaceId ? 'owned' : 'slot', action, reason].join(' '),
            )
            .toSorted();
        // It may be merely silent, and counts as living for half a minute.
        expect(await plan()).toEqual(['owned leave open-elsewhere', 'slot leave open-elsewhere']);
        vi.setSystemTime(Date.now() + 31_000);
        expect(await plan()).toEqual(['owned adopt owned', 'slot leave too-young']);
        vi.setSystemTime(Date.now() + 60_000);
        expect(await plan()).toEqual(['owned adopt owned', 'slot remove nobodys']);
        expect(Object.values(await states(service.managerId))).toEqual(['running', 'running']);
        expect(events).toEqual([]);

        await manager.reconcile();
        await expect
          .poll(() => events.map(({ type }) => type), WAIT)
          .toEqual(['workspace-reaped', 'workspace-attached']);
        expect(await states(service.managerId)).toEqual({ [service.workspaceId]: 'running' });
        expect(await notes(await manager.getWorkspace(KEY))).toBe('kept');
        for (const { sandboxId } of strangers) {
          expect((await e2b.client.Sandbox.getInfo(sandboxId)).state).toBe('running');
          await e2b.client.Sandbox.kill(sandboxId);
        }
      } finally {
        await killAll(service.managerId);
      }
    });

    it('leaves what is paused asleep, unless it is a slot that nobody was given', SLOW, async () => {
      const storage = new MemoryStorage();
      await Promise.all(['owned', 'nobodys', 'unknown'].map(leave));
      await storage.claim('owned', 'u');
      await storage.markSlot('nobodys');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
      await using _manager = await open({ storage });
      expect(await states()).toEqual({ owned: 'paused', unknown: 'paused' });
      expect(events.map(({ type, workspaceId }) => [type, workspaceId])).toEqual([['workspace-reaped', 'nobodys']]);
    });

    it('pauses what runs, and kills nothing, without a storage', SLOW, async () => {
      await Promise.all([makeSandbox(managerId, 'running'), leave('asleep')]);
      await using manager = await open();
      expect(await states()).toEqual({ running: 'paused', asleep: 'paused' });
      expect(events.map(({ type, workspaceId }) => [type, workspaceId])).toEqual([['workspace-reaped', 'running']]);
      expect(await manager.reconcile({ dryRun: true })).toEqual(
        expect.arrayContaining([
          { workspaceId: 'running', action: 'leave', reason: 'closed' },
          { workspaceId: 'asleep', action: 'leave', reason: 'closed' },
        ]),
      );
    });

    it('does nothing where it cannot list them, and fails initialize()', SLOW, async () => {
      await leave('nobodys');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
      e2b.emulator.faults.add({ match: { route: 'list' }, status: 500, message: 'boom' });
      const storage = new MemoryStorage();
      await expect(open({ storage })).rejects.toMatchObject({ code: 'e2b-request-failed' });
      e2b.emulator.faults.clear();
      expect(await states()).toEqual({ nobodys: 'paused' });
    });
  });
});
