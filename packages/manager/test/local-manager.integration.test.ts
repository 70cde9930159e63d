import { execFile } from 'node:child_process';
import { cp, readFile, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { agentScopeSample, TemporaryDirectory } from '@agent-workspace/testing';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalWorkspaceManager, type LocalWorkspaceManagerOptions } from '../src/local/index.ts';
import { SqliteStorage } from '../src/storage/sqlite/index.ts';

const run = promisify(execFile);
const KEY = { userId: 'user-1', agentId: 'agent-42', sessionId: 's' };
const EXIT_TIMEOUT_MS = 30_000;

describe('LocalWorkspaceManager', () => {
  let directory: TemporaryDirectory;

  beforeEach(async () => {
    directory = await TemporaryDirectory.create();
  });

  afterEach(() => directory[Symbol.asyncDispose]());

  async function open(options: Partial<LocalWorkspaceManagerOptions> = {}): Promise<LocalWorkspaceManager> {
    return await LocalWorkspaceManager.open({ basedir: directory.at('base'), ...options });
  }

  it('names the directory of a workspace by its id', async () => {
    await using manager = await open();
    const workspace = await manager.getWorkspace(KEY);
    expect(workspace.workdir).toBe(directory.at('base/975afc44b38938ab9f1c00b620db5e34'));
  });

  it.each(['../x', '../../x', '/etc/x', '.', 'a/../../x'])('keeps %j inside of basedir [A06]', async (id) => {
    await using manager = await open({ trustWorkspaceIds: true });
    await manager.getWorkspace({ userId: id, agentId: id, sessionId: id });
    const named = await manager.getWorkspace({ ...KEY, workspaceId: id });
    expect(dirname(named.workdir)).toBe(directory.at('base'));
    expect(await directory.names()).toEqual(['base']);
  });

  it('leaves no timer that keeps the process alive [G17]', async () => {
    const program = fileURLToPath(new URL('fixtures/exits.ts', import.meta.url));
    const { stdout } = await run(process.execPath, [program, directory.path], { timeout: EXIT_TIMEOUT_MS });
    expect(stdout).toBe('0\n');
  });

  it('makes spans of what happens', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const manager = await open({ tracer: provider.getTracer('service') });
    const { workspaceId } = await manager.getWorkspace(KEY);
    await manager[Symbol.asyncDispose]();
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name)).toEqual(['workspace-created', 'workspace-evicted']);
    expect(spans.map(({ attributes }) => attributes['workspace.id'])).toEqual([workspaceId, workspaceId]);
  });

  it('tells that data which went away are lost, and puts nothing in their place', async () => {
    await using manager = await open();
    const workspace = await manager.getWorkspace(KEY);
    await workspace.close();
    await rm(workspace.workdir, { recursive: true });
    const lost = { code: 'workspace-lost', details: { workspaceId: workspace.workspaceId } };
    await expect(manager.getWorkspace(KEY)).rejects.toMatchObject(lost);
    await expect(manager.getWorkspace(KEY)).rejects.toMatchObject(lost);
    await manager.destroy(workspace.workspaceId);
    expect((await manager.getWorkspace(KEY)).isNew).toBe(true);
  });

  it.each([
    [{ ttlMs: 0 }, 'ttlMs'],
    [{ sweepIntervalMs: 2 ** 31 }, 'sweepIntervalMs'],
    [{ maxBackgroundMs: -1 }, 'maxBackgroundMs'],
    [{ drainTimeoutMs: Number.NaN }, 'drainTimeoutMs'],
    [{ singleUser: true }, 'singleUser'],
  ])('refuses %j', async (options, option) => {
    await expect(open(options)).rejects.toMatchObject({ code: 'manager-options-invalid', details: { option } });
  });

  describe("with AgentScope's layout", () => {
    const layout = 'agentscope';

    it.each([
      ['per-agent', KEY, 'd638316f4f89b77d'],
      ['per-agent', { ...KEY, userId: 'ü', agentId: '日本' }, '56aeacee89142bdb'],
      ['per-agent', { ...KEY, userId: 'a', agentId: 'b::c' }, '42ea9368dc124a88'],
      ['per-agent', { ...KEY, userId: 'a::b', agentId: 'c' }, '42ea9368dc124a88'],
      ['per-user', KEY, '4496bc54ad6e1449'],
    ] as const)('derives its ids: %s, %j', async (isolation, key, workspaceId) => {
      await using manager = await open({ layout, isolation });
      expect(await manager.assignWorkspaceId(key)).toBe(workspaceId);
      expect((await manager.getWorkspace(key)).workdir).toBe(directory.at(`base/${workspaceId}`));
    });

    it('opens the directory that it has named by the agent alone, for a single user', async () => {
      await cp(agentScopeSample('v1'), directory.at('base/Agent 42'), { recursive: true });
      const key = { ...KEY, agentId: 'Agent 42' };
      await using manager = await open({ layout, singleUser: true });
      const workspace = await manager.getWorkspace(key);
      expect(workspace.workdir).toBe(directory.at('base/Agent 42'));
      expect(workspace.isNew).toBe(false);
      expect((await workspace.listSkills()).length).toBeGreaterThan(0);
      expect(await manager.getWorkspace({ ...key, workspaceId: workspace.workspaceId })).toBe(workspace);
      await manager.close(workspace.workspaceId);
      expect((await manager.getWorkspace(key)).workdir).toBe(workspace.workdir);
      await expect(manager.getWorkspace({ ...key, userId: 'another' })).rejects.toMatchObject({
        code: 'workspace-forbidden',
      });
      const other = await manager.getWorkspace(KEY);
      expect(other.workdir).toBe(directory.at('base/d638316f4f89b77d'));
    });

    it('finds such a directory again after a restart, and prefers it to a prewarmed one', async () => {
      await directory.write({ 'base/agent-42/sessions/s/context.jsonl': '' });
      const path = directory.at('manager.db');
      for (let start = 0; start < 2; start += 1) {
        await using storage = new SqliteStorage({ path });
        await using manager = await open({ layout, singleUser: true, storage, prewarm: { size: 1 } });
        expect((await manager.getWorkspace(KEY)).workdir).toBe(directory.at('base/agent-42'));
      }
    });

    it('opens none of them without singleUser', async () => {
      await directory.write({ 'base/agent-42/sessions/s/context.jsonl': '' });
      await using manager = await open({ layout });
      expect((await manager.getWorkspace(KEY)).workdir).toBe(directory.at('base/d638316f4f89b77d'));
    });

    it.each(['..', 'linked', 'base', 'a file'])('takes %j for no directory of its own [A06]', async (agentId) => {
      await directory.write({ 'outside/notes.txt': 'of another', 'base/a file': '' });
      await symlink(directory.at('outside'), directory.at('base/linked'));
      await using manager = await open({ layout, singleUser: true });
      const workspace = await manager.getWorkspace({ ...KEY, agentId });
      expect(workspace.workdir).toMatch(/\/base\/[0-9a-f]{16}$/);
      expect(await readFile(directory.at('outside/notes.txt'), 'utf8')).toBe('of another');
    });
  });
});
