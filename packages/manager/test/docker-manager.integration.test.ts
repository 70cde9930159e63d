import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectToolResult, encodeId, type WorkspaceKey, type WorkspaceSession } from '@agent-workspace/core';
import { agentScopeSample, TemporaryDirectory } from '@agent-workspace/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DockerWorkspaceManager } from '../src/docker/index.ts';
import type { ManagerEvent } from '../src/index.ts';
import { SqliteStorage } from '../src/storage/sqlite/index.ts';
import type { ServiceState } from './fixtures/service.ts';
import { containersOf, docker, hasDocker, networksOf, removeByHand, volumesOf } from './support/docker-engine.ts';
import { killService } from './support/kill-service.ts';
import { WAIT } from './support/wait.ts';

const KEY = { userId: 'u', agentId: 'a', sessionId: 's' };
const network = 'none';
const WORKSPACES = 50;
const AT_ONCE = 10;
const SLOW = { timeout: 180_000 };

async function bash(session: WorkspaceSession, command: string): Promise<string> {
  const tool = (await session.listTools()).find(({ name }) => name === 'Bash');
  if (tool === undefined) throw new Error('There is no tool Bash.');
  const { content } = await collectToolResult(tool.call({ command }));
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** The processes that this one has started. */
async function children(): Promise<string> {
  return await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
}

/** Does the work for each, some at a time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (const item of waiting) await work(item);
  });
  await Promise.all(workers);
}

describe.skipIf(!hasDocker)('DockerWorkspaceManager', () => {
  let directory: TemporaryDirectory;
  const managerId = `test-manager-${process.pid}`;

  beforeEach(async () => {
    directory = await TemporaryDirectory.create();
  });

  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await removeByHand({ managerId });
    await directory[Symbol.asyncDispose]();
  });

  it(`leaves nothing of ${WORKSPACES} workspaces that were used, evicted and closed [D24]`, SLOW, async () => {
    // For the sockets of these alone.
    await mkdir(directory.at('tmp'));
    vi.stubEnv('TMPDIR', directory.at('tmp'));
    const childrenBefore = await children();
    const events: ManagerEvent[] = [];
    const manager = await DockerWorkspaceManager.open({
      basedir: directory.at('workspaces'),
      managerId,
      network,
      ttlMs: 3_600_000,
      onEvent: (event) => events.push(event),
    });
    const keys: readonly WorkspaceKey[] = Array.from({ length: WORKSPACES }, (_, index) => ({
      ...KEY,
      userId: `u-${index}`,
    }));
    await forEach(keys, async (key) => {
      await using lease = await manager.lease(key);
      expect(await bash(lease.session, `echo ${key.userId} >owner; cat owner`)).toContain(key.userId);
    });
    expect(await containersOf({ managerId })).toHaveLength(WORKSPACES);
    expect(await readdir(directory.at('tmp'))).toHaveLength(WORKSPACES);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    await forEach(keys.slice(0, AT_ONCE), async (key) => void (await manager.getWorkspace(key)));
    await manager.sweep();
    expect(await containersOf({ managerId })).toHaveLength(AT_ONCE);
    await manager[Symbol.asyncDispose]();
    expect(await containersOf({ managerId })).toEqual([]);
    expect(await volumesOf(managerId)).toEqual([]);
    expect(await networksOf(managerId)).toEqual([]);
    expect(await readdir(directory.at('tmp'))).toEqual([]);
    expect(await children()).toBe(childrenBefore);
    const ends = events.flatMap((event) => (event.type === 'workspace-evicted' ? [event.reason] : []));
    expect(ends.filter((reason) => reason === 'idle')).toHaveLength(WORKSPACES - AT_ONCE);
    expect(ends.filter((reason) => reason === 'shutdown')).toHaveLength(AT_ONCE);
    expect(await readdir(directory.at('workspaces'))).toHaveLength(WORKSPACES);
  });

  it('gives a workspace that works after its container was removed by hand [G02]', SLOW, async () => {
    await using manager = await DockerWorkspaceManager.open({ basedir: directory.path, managerId, network });
    const workspace = await manager.getWorkspace(KEY);
    await bash(workspace.session(KEY), 'echo kept >notes.txt');
    const [former] = await containersOf({ managerId });
    await removeByHand({ managerId });
    const read = async (): Promise<string> => {
      await using lease = await manager.lease(KEY);
      return await bash(lease.session, 'cat notes.txt');
    };
    await expect.poll(() => read().catch(String), WAIT).toBe('kept\n');
    const [container, ...others] = await containersOf({ managerId });
    expect(others).toEqual([]);
    expect(container?.Id).not.toBe(former?.Id);
  });

  it('says that data are lost which went with their container, without a basedir', SLOW, async () => {
    const lines: string[] = [];
    const none = (): void => undefined;
    const logger = { debug: none, info: (line: string) => void lines.push(line), warn: none, error: none };
    await using manager = await DockerWorkspaceManager.open({ managerId, network, logger });
    expect(lines).toContainEqual(expect.stringContaining('Without basedir'));
    const workspace = await manager.getWorkspace(KEY);
    expect(workspace.isPersistent).toBe(false);
    await removeByHand({ managerId });
    await expect.poll(() => workspace.isAlive, WAIT).toBe(false);
    const lost = { code: 'workspace-lost', details: { workspaceId: workspace.workspaceId } };
    await expect(manager.getWorkspace(KEY)).rejects.toMatchObject(lost);
    await manager.destroy(workspace.workspaceId);
    expect((await manager.getWorkspace(KEY)).isNew).toBe(true);
  });

  it('removes the directory of its own basedir with what is destroyed, and no other', SLOW, async () => {
    await using manager = await DockerWorkspaceManager.open({ basedir: directory.path, managerId, network });
    const workspace = await manager.getWorkspace(KEY);
    await directory.write({ 'of-somebody/notes.txt': 'kept' });
    expect(await directory.names()).toEqual([encodeId(workspace.workspaceId), 'of-somebody']);
    await manager.destroy(workspace.workspaceId);
    expect(await directory.names()).toEqual(['of-somebody']);
    expect(await containersOf({ managerId })).toEqual([]);
  });

  describe("with AgentScope's layout", () => {
    const key = { ...KEY, userId: 'user-1', agentId: 'Agent 42' };

    it('opens the directory that it has named by the user and the agent, for that user alone', SLOW, async () => {
      const base = directory.at('base');
      await cp(agentScopeSample('v1'), join(base, 'user-1', 'Agent 42'), { recursive: true });
      // Whose the copy is.
      const user = `${process.getuid?.()}:${process.getgid?.()}`;
      const options = { layout: 'agentscope', basedir: base, managerId, network, user } as const;
      const path = directory.at('manager.db');
      for (let start = 0; start < 2; start += 1) {
        await using storage = new SqliteStorage({ path });
        await using manager = await DockerWorkspaceManager.open({ ...options, storage, prewarm: { size: 1 } });
        const workspace = await manager.getWorkspace(key);
        expect([workspace.workspaceId, workspace.isNew]).toEqual(['user-1/Agent 42', false]);
        expect((await workspace.listSkills()).length).toBeGreaterThan(0);
        expect(await readFile(join(base, 'user-1', 'Agent 42', '.workspace', 'state.json'), 'utf8')).toContain(
          'user-1/Agent 42',
        );
        const { workspaceId } = workspace;
        await expect(manager.getWorkspace({ ...key, userId: 'another', workspaceId })).rejects.toMatchObject({
          code: 'workspace-forbidden',
        });
      }
      await using manager = await DockerWorkspaceManager.open(options);
      await manager.getWorkspace({ ...KEY, userId: 'user-1', agentId: 'agent-42' });
      expect((await readdir(base)).toSorted()).toEqual(['d638316f4f89b77d', 'user-1']);
      await manager.destroy('user-1/Agent 42');
      expect(await readdir(join(base, 'user-1'))).toEqual([]);
      expect((await manager.getWorkspace(key)).isNew).toBe(true);
    });

    it('derives its ids, with no directory either', async () => {
      await using manager = await DockerWorkspaceManager.open({ layout: 'agentscope', managerId, network });
      expect(await manager.assignWorkspaceId({ ...key, agentId: 'agent-42' })).toBe('d638316f4f89b77d');
    });
  });

  describe('after the service was killed', () => {
    const basedir = (): string => directory.at('workspaces');
    const path = (): string => directory.at('manager.db');

    const killed = (): Promise<ServiceState> => killService({ engine: 'docker', path: path(), basedir: basedir() });

    it('adopts what has an owner, removes what was nobody’s, and touches nothing else [D28] [G21]', SLOW, async () => {
      const service = await killed();
      // However long all of this takes.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
      const strangers = await Promise.all(
        [{}, { 'agent-workspace.manager-id': managerId, 'agent-workspace.workspace-id': service.workspaceId }].map(
          async (Labels) => {
            const made = await docker.createContainer({ Image: 'python:3.12-slim', Cmd: ['true'], Labels });
            return made.id;
          },
        ),
      );
      try {
        const [owned] = await containersOf(service);
        const events: ManagerEvent[] = [];
        await using storage = new SqliteStorage({ path: path() });
        const onEvent = (event: ManagerEvent): void => void events.push(event);
        await using manager = await DockerWorkspaceManager.open({ basedir: basedir(), network, storage, onEvent });
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
        expect(await containersOf({ managerId: service.managerId })).toHaveLength(2);
        expect(events).toEqual([]);

        await manager.reconcile();
        await expect
          .poll(() => events.map(({ type }) => type), WAIT)
          .toEqual(['workspace-reaped', 'workspace-attached']);
        expect(await containersOf({ managerId: service.managerId })).toEqual([
          expect.objectContaining({ Id: owned?.Id, State: 'running' }),
        ]);
        expect(await readdir(basedir())).toEqual([encodeId(service.workspaceId)]);
        const workspace = await manager.getWorkspace(KEY);
        expect(await bash(workspace.session(KEY), 'cat notes.txt')).toBe('kept');
        expect(await containersOf(service)).toHaveLength(1);
        for (const id of strangers) expect((await docker.getContainer(id).inspect()).Id).toBe(id);
      } finally {
        for (const id of strangers) await docker.getContainer(id).remove({ force: true });
        await removeByHand({ managerId: service.managerId });
      }
    });

    it('comes round to it by itself, since a service that is started at once finds it living still', SLOW, async () => {
      const service = await killed();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
      try {
        const events: ManagerEvent[] = [];
        await using storage = new SqliteStorage({ path: path() });
        await using manager = await DockerWorkspaceManager.open({
          basedir: basedir(),
          network,
          storage,
          sweepIntervalMs: 50,
          onEvent: (event) => void events.push(event),
        });
        expect(await manager.reconcile({ dryRun: true })).toMatchObject([{ action: 'leave' }, { action: 'leave' }]);
        vi.setSystemTime(Date.now() + 91_000);
        await expect
          .poll(() => events.map(({ type }) => type), WAIT)
          .toEqual(['workspace-reaped', 'workspace-attached']);
      } finally {
        await removeByHand({ managerId: service.managerId });
      }
    });
  });
});
