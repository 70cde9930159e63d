import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentSettings, type WorkspaceToolOutput } from '@agent-workspace/ai-sdk';
import { collectToolResult, type Message, type Offloader } from '@agent-workspace/core';
import { LocalWorkspace } from '@agent-workspace/local';
import { LocalWorkspaceManager } from '@agent-workspace/manager/local';
import { defineTool, skillPrompt, Toolkit } from '@agent-workspace/toolkit';
import { type ModelMessage, ToolLoopAgent } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from '../src/scripted-model.ts';
import { SEEDS } from '../src/seeds.ts';
import { SCRIPT_PATH } from './script-path.ts';

/* A workspace in an agent's hands, from each of the ways in which it is put there. */

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'examples-test-'));
  vi.stubEnv('PATH', SCRIPT_PATH);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(parent, { recursive: true, force: true });
});

const textOf = ({ content }: Pick<WorkspaceToolOutput, 'content'>): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');

/** An agent that has heard of an offloader, and of nothing else of a workspace. */
async function compress(offloader: Offloader, sessionId: string, messages: readonly Message[]): Promise<string> {
  return `The conversation so far is in ${await offloader.offloadContext(sessionId, messages)}`;
}

describe('a workspace in an agent', () => {
  it('is where its tools, servers and skills are from, and where its context goes', async () => {
    await using workspace = await LocalWorkspace.open({ workdir: join(parent, 'my-workspace'), ...SEEDS });
    const skills = await workspace.listSkills();
    const toolkit = new Toolkit({
      tools: await workspace.listTools(),
      mcps: await workspace.listMcps(),
      skillsOrLoaders: skills,
      session: workspace,
    });
    const names = (await toolkit.list()).map(({ name }) => name);
    expect(names.slice(0, 7)).toEqual(['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'Skill']);
    expect(names).toContain('mcp__files__read_text_file');
    expect(skillPrompt(skills)).toContain('table-report');

    await collectToolResult(toolkit.run('Write', { file_path: 'notes.txt', content: 'kept' }));
    const read = await collectToolResult(toolkit.run('mcp__files__read_text_file', { path: 'notes.txt' }));
    expect(textOf(read)).toContain('kept');
    const wrong = await collectToolResult(toolkit.run('mcp__files__read_text_file', { path: 7 }));
    expect(wrong.state).toBe('error');
    expect(textOf(wrong)).toContain('- path: string is expected; 7 is given');

    const message: Message = {
      name: 'user',
      role: 'user',
      id: 'm1',
      content: [{ type: 'text', id: 't1', text: 'Remember this.' }],
    };
    const reference = await compress(workspace, 'chat-1', [message]);
    const path = reference.replace(/^.* is in /u, '');
    const back = await collectToolResult(toolkit.run('Read', { file_path: path }));
    expect(textOf(back)).toContain('Remember this.');
  });

  it('is sorted into groups by the prefixes of its flat lists', async () => {
    await using workspace = await LocalWorkspace.open({ workdir: join(parent, 'my-workspace'), ...SEEDS });
    const mcps = await workspace.listMcps();
    const skills = await workspace.listSkills();
    const toolkit = new Toolkit({
      tools: await workspace.listTools(),
      toolGroups: [
        { name: 'files', description: 'Files by a server.', mcps: mcps.filter(({ name }) => name.startsWith('files')) },
        { name: 'coding', description: 'Skills for code.', skillsOrLoaders: skills },
      ],
    });
    const namesNow = async (): Promise<string[]> => (await toolkit.list()).map(({ name }) => name);
    const basic = ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep'];
    expect(await namesNow()).toEqual([...basic, 'reset_tools']);

    await collectToolResult(toolkit.run('reset_tools', { files: true }));
    expect(await namesNow()).toContain('mcp__files__list_directory');
    const told = await collectToolResult(toolkit.run('reset_tools', { coding: true }));
    expect(textOf(told)).toContain('- table-report: ');
    expect(await namesNow()).toEqual([...basic, 'Skill', 'reset_tools']);
  });

  it('runs a tool of the host where the agent works', async () => {
    await using workspace = await LocalWorkspace.open({ workdir: join(parent, 'my-workspace') });
    const countLines = defineTool({
      name: 'CountLines',
      description: 'Counts the lines of a file.',
      inputSchema: z.object({ path: z.string() }),
      isReadOnly: true,
      execute: async ({ path }, { backend, session, signal }) => {
        const { stdout } = await backend.exec(['wc', '-l', path], { cwd: session.workdir, signal });
        return new TextDecoder().decode(stdout.head).trim();
      },
    });
    await workspace.backend.writeFile('poem.txt', 'one\ntwo\n');
    const session = workspace.session({ agentId: 'coder', sessionId: 'chat-1' });
    const toolkit = new Toolkit({ tools: [countLines], session });
    expect(textOf(await collectToolResult(toolkit.run('CountLines', { path: 'poem.txt' })))).toBe('2 poem.txt');
  });

  it('keeps each message of ten turns on the disk once', async () => {
    await using workspace = await LocalWorkspace.open({ workdir: join(parent, 'my-workspace') });
    const session = workspace.session({ agentId: 'coder', sessionId: 'chat-1' });
    const steps = Array.from({ length: 10 }, (_, turn) => [
      () => [{ tool: 'Bash', input: { command: `seq 1 400; echo turn ${turn}` } }],
      () => `Answer ${turn}.`,
    ]).flat();
    let summaries = 0;
    const settings = await agentSettings(session, {
      compaction: { contextBudgetTokens: 2_500, keepLast: 2, summarize: () => `Summary ${(summaries += 1)}.` },
    });
    const agent = new ToolLoopAgent({ model: scriptedModel(steps), ...settings });
    const history: ModelMessage[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      history.push({ role: 'user', content: `Question ${turn}` });
      history.push(...(await agent.generate({ messages: history })).responseMessages);
    }
    const file = join(parent, 'my-workspace/sessions/chat-1/context.jsonl');
    const stored = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const ids = stored.map((line) => (JSON.parse(line) as Message).id);
    expect(new Set(ids).size).toBe(ids.length);
    const questions = stored.flatMap((line) => /Question (\d)/u.exec(line)?.[1] ?? []);
    expect(questions).toEqual(Array.from({ length: questions.length }, (_, turn) => String(turn)));
    expect(questions.length).toBeGreaterThan(6);
    expect(summaries).toBeGreaterThan(1);
  });

  it('is allotted by a manager, which gives the same one back', async () => {
    await using manager = await LocalWorkspaceManager.open({ basedir: join(parent, 'workspaces'), ttlMs: 3_600_000 });
    const key = { userId: 'user-1', agentId: 'agent-42', sessionId: 'session-abc' };
    const first = await manager.getWorkspace(key);
    await first.backend.writeFile('greeting.txt', 'Hello');
    const again = await manager.getWorkspace({ ...key, workspaceId: first.workspaceId });
    expect(again).toBe(first);
    const other = await manager.getWorkspace({ ...key, userId: 'user-2' });
    expect(other.workspaceId).not.toBe(first.workspaceId);

    await manager.close(first.workspaceId);
    const later = await manager.getWorkspace(key);
    expect(later).not.toBe(first);
    expect(later.workspaceId).toBe(first.workspaceId);
    const { bytes } = await later.backend.readFile('greeting.txt');
    expect(new TextDecoder().decode(bytes)).toBe('Hello');
  });
});
