import { collectToolResult, type WorkspaceKey, type WorkspaceSession } from '@agent-workspace/core';
import { ClusterConnection, KubernetesWorkspace } from '@agent-workspace/kubernetes';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ManagerEvent, MemoryStorage } from '../src/index.ts';
import {
  KubernetesStorage,
  KubernetesWorkspaceManager,
  type KubernetesWorkspaceManagerOptions,
} from '../src/kubernetes/index.ts';
import { killService } from './support/kill-service.ts';
import { hasCluster, TestNamespace, WORKSPACE_ANNOTATION } from './support/kubernetes-cluster.ts';
import { POD } from './support/kubernetes-pod.ts';
import { WAIT } from './support/wait.ts';

const KEY = { userId: 'u', agentId: 'a', sessionId: 's' };
const WORKSPACES = 12;
const AT_ONCE = 4;
const SLOW = { timeout: 300_000 };

async function bash(session: WorkspaceSession, command: string): Promise<string> {
  const tool = (await session.listTools()).find(({ name }) => name === 'Bash');
  if (tool === undefined) throw new Error('There is no tool Bash.');
  const { content } = await collectToolResult(tool.call({ command }));
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Does the work for each, some at a time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (const item of waiting) await work(item);
  });
  await Promise.all(workers);
}

describe.skipIf(!hasCluster)('KubernetesWorkspaceManager', () => {
  let namespace: TestNamespace;
  let managerId: string;
  let count = 0;

  beforeAll(async () => {
    namespace = await TestNamespace.create('engine');
  });

  afterAll(() => namespace[Symbol.asyncDispose]());

  beforeEach(() => {
    count += 1;
    managerId = `test-${count}`;
  });

  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await namespace.remove(await namespace.find({ managerId }));
  });

  function open(options: KubernetesWorkspaceManagerOptions = {}): Promise<KubernetesWorkspaceManager> {
    return KubernetesWorkspaceManager.open({ ...namespace.connection, ...POD, managerId, ...options });
  }

  /** How many Pods and claims there are, those that are being removed left out. */
  async function left(): Promise<{ readonly pods: number; readonly claims: number }> {
    const { pods, claims } = await namespace.find({ managerId });
    const stays = ({ metadata }: (typeof pods)[number] | (typeof claims)[number]): boolean =>
      metadata?.deletionTimestamp === undefined;
    return { pods: pods.filter(stays).length, claims: claims.filter(stays).length };
  }

  it(`leaves the claims alone of ${WORKSPACES} workspaces that were used, evicted and closed`, SLOW, async () => {
    const events: ManagerEvent[] = [];
    const manager = await open({ ttlMs: 3_600_000, onEvent: (event) => events.push(event) });
    const keys: readonly WorkspaceKey[] = Array.from({ length: WORKSPACES }, (_, index) => ({
      ...KEY,
      userId: `u-${index}`,
    }));
    await forEach(keys, async (key) => {
      await using lease = await manager.lease(key);
      expect(await bash(lease.session, `echo ${key.userId} >owner; cat owner`)).toContain(key.userId);
    });
    expect(await left()).toEqual({ pods: WORKSPACES, claims: WORKSPACES });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    await forEach(keys.slice(0, AT_ONCE), async (key) => void (await manager.getWorkspace(key)));
    await manager.sweep();
    expect(await left()).toEqual({ pods: AT_ONCE, claims: WORKSPACES });
    await manager[Symbol.asyncDispose]();
    expect(await left()).toEqual({ pods: 0, claims: WORKSPACES });
    const ends = events.flatMap((event) => (event.type === 'workspace-evicted' ? [event.reason] : []));
    expect(ends.filter((reason) => reason === 'idle')).toHaveLength(WORKSPACES - AT_ONCE);
    expect(ends.filter((reason) => reason === 'shutdown')).toHaveLength(AT_ONCE);
  });

  it('gives a workspace that works after its Pod was deleted by hand, with its data', SLOW, async () => {
    await using manager = await open();
    const workspace = await manager.getWorkspace(KEY);
    await bash(workspace.session(KEY), 'echo kept >notes.txt');
    const before = await namespace.find({ managerId });
    await namespace.remove({ pods: before.pods, claims: [] });
    // Until it has ended it may still be asked.
    const uids = async (): Promise<readonly unknown[]> =>
      (await namespace.find({ managerId })).pods.map(({ metadata }) => metadata?.uid);
    await expect.poll(uids, WAIT).not.toContain(before.pods[0]?.metadata?.uid);
    const read = async (): Promise<string> => {
      await using lease = await manager.lease(KEY);
      return await bash(lease.session, 'cat notes.txt');
    };
    await expect.poll(() => read().catch(String), WAIT).toBe('kept\n');
    const after = await namespace.find({ managerId });
    expect(after.pods).toHaveLength(1);
    expect(after.claims.map(({ metadata }) => metadata?.uid)).toEqual(
      before.claims.map(({ metadata }) => metadata?.uid),
    );
  });

  it('removes Pod and claim of what is destroyed, also of what is open nowhere', SLOW, async () => {
    await using manager = await open();
    const workspaceId = await manager.assignWorkspaceId(KEY);
    for (const isOpen of [true, false]) {
      expect((await manager.getWorkspace(KEY)).isNew).toBe(true);
      if (!isOpen) await manager.close(workspaceId);
      expect(await left()).toEqual({ pods: isOpen ? 1 : 0, claims: 1 });
      await manager.destroy(workspaceId);
      expect(await left()).toEqual({ pods: 0, claims: 0 });
    }
  });

  it('removes the claim of one that was killed before it came to that', SLOW, async () => {
    const killed = await open();
    const { workspaceId } = await killed.getWorkspace(KEY);
    // As between the end of its Pod and that of its claim.
    await killed[Symbol.asyncDispose]();
    expect(await left()).toEqual({ pods: 0, claims: 1 });
    const events: ManagerEvent[] = [];
    await using manager = await open({ deleteVolumeOnClose: true, onEvent: (event) => void events.push(event) });
    expect(await left()).toEqual({ pods: 0, claims: 0 });
    expect(events).toMatchObject([{ type: 'workspace-reaped', workspaceId }]);
    // Its owner has it still, and nothing in it.
    const workspace = await manager.getWorkspace(KEY);
    expect([workspace.workspaceId, workspace.isNew]).toEqual([workspaceId, true]);
  });

  it('asks the cluster nothing for a workspace that it has open', SLOW, async () => {
    await using manager = await open();
    const workspace = await manager.getWorkspace(KEY);
    const call = vi.spyOn(ClusterConnection.prototype, 'call');
    // Unless a heartbeat comes in between.
    await vi.waitFor(async () => {
      call.mockClear();
      for (let round = 0; round < 1_000; round += 1) expect(await manager.getWorkspace(KEY)).toBe(workspace);
      expect(call).not.toHaveBeenCalled();
    }, WAIT);
  });

  it('keeps everything in the cluster, unless another storage is bound', SLOW, async () => {
    const bound = await open({ storage: new MemoryStorage() });
    await bound.getWorkspace(KEY);
    expect(await namespace.leases(managerId)).toEqual([]);
    await bound[Symbol.asyncDispose]();
    await using manager = await open({ prewarm: { size: 1 } });
    const workspace = await manager.getWorkspace(KEY);
    const kinds = (await namespace.leases(managerId)).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['binding', 'replica', 'workspace']));
    expect((await manager.getWorkspace({ ...KEY, sessionId: 't' })).workspaceId).toBe(workspace.workspaceId);
  });

  it('says that the cluster does not answer', async () => {
    const away = open({ kubeconfig: '/nowhere/kubeconfig' });
    await expect(away).rejects.toMatchObject({ code: 'kubernetes-options-invalid', details: { option: 'kubeconfig' } });
    const elsewhere = open({ namespace: 'aw-test-that-is-not-there' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'manager-storage-failed', isRetryable: true });
  });

  describe('after the service was killed', () => {
    it('adopts what has an owner, removes what was nobody’s, and touches nothing else', SLOW, async () => {
      const { kubeconfig, namespace: place } = namespace.connection;
      const service = await killService({ engine: 'kubernetes', path: kubeconfig, basedir: place });
      ({ managerId } = service);
      const [owned] = (await namespace.find(service)).pods;
      // Of another manager, and of nobody.
      await namespace.createPod({ 'agent-workspace.dev/manager-id': 'another' });
      await namespace.createPod({});
      // As a replica leaves it that is killed before the Pod of its slot is made.
      const storage = new KubernetesStorage(namespace.connection);
      await storage.markSlot('half made');
      const half = await KubernetesWorkspace.open({
        ...namespace.connection,
        ...POD,
        managerId,
        workspaceId: 'half made',
      });
      await half.close();
      // However long all of this takes.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
      const events: ManagerEvent[] = [];
      await using manager = await open({ managerId: undefined, onEvent: (event) => void events.push(event) });
      const plan = async (): Promise<readonly string[]> => {
        const names = new Map([
          [service.workspaceId, 'owned'],
          ['half made', 'half made'],
        ]);
        const plans = await manager.reconcile({ dryRun: true });
        return plans
          .map(({ workspaceId, action, reason }) => `${names.get(workspaceId) ?? 'slot'} ${action} ${reason}`)
          .toSorted();
      };
      // It may be merely silent, and counts as living for half a minute.
      expect(await plan()).toEqual([
        'half made leave too-young',
        'owned leave open-elsewhere',
        'slot leave open-elsewhere',
      ]);
      await expect.poll(plan, WAIT).toEqual(['half made leave too-young', 'owned adopt owned', 'slot leave too-young']);
      vi.setSystemTime(Date.now() + 3_600_000);
      expect(await plan()).toEqual(['half made remove nobodys', 'owned adopt owned', 'slot remove nobodys']);
      expect((await namespace.find({ managerId })).pods).toHaveLength(2);
      expect(events).toEqual([]);

      await manager.reconcile();
      await expect
        .poll(() => events.map(({ type }) => type), WAIT)
        .toEqual(['workspace-reaped', 'workspace-reaped', 'workspace-attached']);
      expect(await left()).toEqual({ pods: 1, claims: 1 });
      const [adopted] = (await namespace.find({ managerId })).pods;
      expect(adopted?.metadata?.uid).toBe(owned?.metadata?.uid);
      expect(adopted?.metadata?.annotations?.[WORKSPACE_ANNOTATION]).toBe(service.workspaceId);
      const workspace = await manager.getWorkspace(KEY);
      expect(await bash(workspace.session(KEY), 'cat notes.txt')).toBe('kept');
      expect(await namespace.createdPods()).toHaveLength(2);
    });
  });
});
