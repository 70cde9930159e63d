import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentScopeSample } from '@agent-workspace/testing';
import type { Message, WorkspaceSession } from '@agent-workspace/core';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalWorkspace, type LocalWorkspaceOptions } from '../src/index.ts';

type Sample = 'v1' | 'v2-unscoped' | 'v2-scoped';
type Json = Record<string, unknown>;

const SAMPLES: readonly Sample[] = ['v1', 'v2-unscoped', 'v2-scoped'];
const directories: string[] = [];

async function openSample(
  sample: Sample,
  options: Partial<LocalWorkspaceOptions> = {},
): Promise<{ workspace: LocalWorkspace; workdir: string }> {
  const workdir = await mkdtemp(join(tmpdir(), `agent-workspace-${sample}-`));
  directories.push(workdir);
  await cp(agentScopeSample(sample), workdir, { recursive: true });
  return { workspace: await LocalWorkspace.open({ workdir, ...options }), workdir };
}

async function json(path: string): Promise<Json> {
  return JSON.parse(await readFile(path, 'utf8')) as Json;
}

const names = async (session: WorkspaceSession): Promise<string[]> =>
  (await session.listMcps()).map((client) => client.name);
const skills = async (session: WorkspaceSession): Promise<string[]> =>
  (await session.listSkills()).map(({ name }) => name).toSorted();

async function read(session: WorkspaceSession, path: string): Promise<unknown> {
  const tool = (await session.listTools()).find(({ name }) => name === 'Read');
  const chunks = await Array.fromAsync(tool?.call({ file_path: path }) ?? []);
  return chunks.at(-1);
}

afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

describe('a directory that AgentScope wrote', () => {
  it.each(SAMPLES)('opens as %s with nothing wrong in it, and is not seeded again', async (sample) => {
    const { workspace } = await openSample(sample, {
      skillPaths: [join(agentScopeSample('v1'), 'skills', 'pdf-notes')],
    });
    await using _ = workspace;
    await workspace.listMcps();
    await workspace.listSkills();
    await workspace.readContext('sess-1');
    expect(workspace.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(await skills(workspace)).toHaveLength(sample === 'v1' ? 3 : 2);
  });

  it.each(SAMPLES)('gives every message and block of %s back', async (sample) => {
    const { workspace, workdir } = await openSample(sample);
    await using _ = workspace;
    const lines = (await readFile(join(workdir, 'sessions/sess-1/context.jsonl'), 'utf8')).trimEnd().split('\n');
    const messages = await workspace.readContext('sess-1');
    expect(messages).toHaveLength(5);
    expect(messages).toEqual(lines.map((line) => JSON.parse(line) as Message));
    const kinds = new Set(messages.flatMap(({ content }) => content.map(({ type }) => type)));
    expect([...kinds].toSorted()).toEqual(['data', 'hint', 'text', 'thinking', 'tool_call', 'tool_result']);
  });

  it.each(SAMPLES)('reads the media and tool results of %s by what the agent was told', async (sample) => {
    const { workspace, workdir } = await openSample(sample);
    await using _ = workspace;
    const data = JSON.stringify(await workspace.readContext('sess-1')).match(
      /workspace:\/\/\/data\/[0-9a-f]+\.png/,
    )?.[0];
    const bytes = await readFile(join(workdir, data?.replace('workspace:///', '') ?? ''));
    expect(await read(workspace, data ?? '')).toMatchObject({
      state: 'success',
      content: [
        { type: 'text', text: expect.stringContaining('image/png') },
        { type: 'data', source: { type: 'base64', data: bytes.toString('base64'), media_type: 'image/png' } },
      ],
    });
    expect(await read(workspace, `${workdir}/sessions/sess-1/tool_result-call_1.txt`)).toMatchObject({
      state: 'success',
      content: [{ text: expect.stringContaining('second line, 你好') }],
    });
    const files = await readdir(join(workdir, 'sessions/sess-1'));
    const again = { type: 'tool_result', id: 'call_1', name: 'Read', output: 'a third time' } as const;
    expect(await workspace.offloadToolResult('sess-1', again)).toBe(
      `${workdir}/sessions/sess-1/tool_result-call_1(2).txt`,
    );
    const same = await readFile(join(workdir, 'sessions/sess-1/tool_result-call_1.txt'), 'utf8');
    expect(await workspace.offloadToolResult('sess-1', { ...again, output: same })).toBe(
      `${workdir}/sessions/sess-1/tool_result-call_1.txt`,
    );
    expect(await readdir(join(workdir, 'sessions/sess-1'))).toHaveLength(files.length + 1);
  });

  it('shows the servers of version 1 to every scope', async () => {
    const { workspace } = await openSample('v1', { defaultMcps: [{ name: 'unused', command: 'true' }] });
    await using _ = workspace;
    const [files, search] = await workspace.listMcps();
    expect(files?.declaration).toEqual({
      name: 'files',
      transport: 'stdio',
      command: 'python3',
      args: ['-m', 'demo_files_server', '--root', '/workspace'],
      env: { DEMO_TOKEN: 'not-a-secret', LANG: 'C.UTF-8' },
      cwd: '/workspace',
      isStateful: true,
      enableTools: ['read_file', 'list_dir'],
      executionTimeoutMs: 20_000,
    });
    expect(search?.declaration).toEqual({
      name: 'search-http',
      transport: 'http',
      url: 'https://mcp.example.com/mcp',
      headers: { 'X-Demo': '1' },
      timeoutMs: 12_500,
      isStateful: false,
      disableTools: ['delete_index'],
    });
    expect(await names(workspace.session({ agentId: 'a', sessionId: 's' }))).toEqual(['files', 'search-http']);
  });

  it('shows the servers of version 2 by scope, and the defaults where it names none', async () => {
    const { workspace } = await openSample('v2-scoped', { defaultMcps: [{ name: 'default', command: 'true' }] });
    await using _ = workspace;
    const of = (agentId: string, sessionId: string): Promise<string[]> =>
      names(workspace.session({ agentId, sessionId }));
    expect(await of('agent-1', 'sess-1')).toEqual(['files', 'search-http']);
    expect(await of('agent-1', 'sess-2')).toEqual(['events']);
    expect(await of('agent-2', 'sess-1')).toEqual([]);
    expect(await of('agent-3', 'sess-1')).toEqual(['default']);
    expect(await names(workspace)).toEqual(['default']);
    const [events] = await workspace.session({ agentId: 'agent-1', sessionId: 'sess-2' }).listMcps();
    expect(events?.declaration.transport).toBe('sse');
  });

  it('shows skills by agent, and equips a new agent from the template', async () => {
    const { workspace, workdir } = await openSample('v2-scoped');
    await using _ = workspace;
    expect(await skills(workspace.session({ agentId: 'agent-1' }))).toEqual(['pdf-notes', 'pdf-notes (1)']);
    expect(await skills(workspace.session({ agentId: 'agent-2' }))).toEqual(['Weekly Report: Ünï', 'pdf-notes']);
    expect(await skills(workspace.session({ agentId: 'agent-3' }))).toEqual(['Weekly Report: Ünï', 'pdf-notes']);
    expect((await readdir(join(workdir, 'skills', 'agent-3'))).toSorted()).toEqual([
      '.index',
      'Weekly_Report__Ünï',
      'pdf-notes',
    ]);
  });

  it('keeps the form of .mcp when we change it, and all that we did not touch', async () => {
    const { workspace, workdir } = await openSample('v2-scoped', {
      defaultMcps: [{ name: 'default', command: 'true' }],
    });
    await using _ = workspace;
    const before = await json(join(workdir, '.mcp'));
    const session = workspace.session({ agentId: 'agent-1', sessionId: 'sess-2' });
    await session.addMcp({ name: 'added', command: 'run', args: ['x'], env: { A: '1' } });
    const after = await json(join(workdir, '.mcp'));
    const mcps = before['mcps'] as Record<string, Record<string, unknown[]>>;
    const spec = (name: string, command: string, args: string[], env: Json | null): Json => ({
      name,
      is_stateful: true,
      mcp_config: { type: 'stdio_mcp', command, args, env, cwd: null, encoding_error_handler: 'strict' },
      enable_tools: null,
      disable_tools: null,
      execution_timeout: null,
    });
    expect(after).toEqual({
      version: 2,
      mcps: {
        ...mcps,
        '': { '': [spec('default', 'true', [], null)] },
        'agent-1': {
          ...mcps['agent-1'],
          'sess-2': [...(mcps['agent-1']?.['sess-2'] ?? []), spec('added', 'run', ['x'], { A: '1' })],
        },
      },
    });
    await workspace.session({ agentId: 'agent-2', sessionId: 'sess-1' }).addMcp({ name: 'added', command: 'run' });
    expect(await names(workspace.session({ agentId: 'agent-2', sessionId: 'sess-1' }))).toEqual(['added']);
  });

  it('keeps version 1 an array until something is scoped', async () => {
    const { workspace, workdir } = await openSample('v1');
    await using _ = workspace;
    const before = JSON.parse(await readFile(join(workdir, '.mcp'), 'utf8')) as Json[];
    await workspace.addMcp({ name: 'events', url: 'https://mcp.example.com/sse' });
    const after = JSON.parse(await readFile(join(workdir, '.mcp'), 'utf8')) as Json[];
    expect(after.slice(0, 2)).toEqual(before);
    expect(after[2]).toEqual({
      name: 'events',
      is_stateful: false,
      mcp_config: { type: 'http_mcp', url: 'https://mcp.example.com/sse', headers: null, timeout: 30 },
      enable_tools: null,
      disable_tools: null,
      execution_timeout: null,
    });
    await workspace.session({ agentId: 'a' }).removeMcp('events');
    expect(await json(join(workdir, '.mcp'))).toEqual({ version: 2, mcps: { '': { '': after }, a: { '': before } } });
  });

  it('appends to a context file of AgentScope in its form', async () => {
    const { workspace, workdir } = await openSample('v2-unscoped');
    await using _ = workspace;
    const path = join(workdir, 'sessions/sess-1/context.jsonl');
    const before = await readFile(path, 'utf8');
    const [first] = await workspace.readContext('sess-1');
    const added = { id: 'ours', name: 'user', role: 'user', content: [{ type: 'text', id: 't', text: 'hi' }] } as const;
    await workspace.offloadContext('sess-1', [...(first === undefined ? [] : [first]), added]);
    const after = await readFile(path, 'utf8');
    expect(after.startsWith(before)).toBe(true);
    const [line, ...rest] = after.slice(before.length).split('\n');
    expect(rest).toEqual(['']);
    expect(Object.keys(JSON.parse(line ?? '') as Json)).toEqual(
      Object.keys(JSON.parse(before.split('\n')[0] ?? '') as Json),
    );
    expect((JSON.parse(line ?? '') as Json)['created_at']).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}$/);
  });

  it('takes over a session directory that AgentScope named by the id as it is', async () => {
    const { workspace, workdir } = await openSample('v1');
    await using _ = workspace;
    await cp(join(workdir, 'sessions/sess-1'), join(workdir, 'sessions/Chat 1'), { recursive: true });
    expect(await workspace.readContext('Chat 1')).toHaveLength(5);
    expect(await workspace.readContext('chat 1')).toEqual([]);
  });
});
