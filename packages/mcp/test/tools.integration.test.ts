import { findMCPTool } from '@agent-workspace/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closeClients, failureOf, fixtureClient, isRunning, textOf } from './support.ts';

afterEach(closeClients);

const namesOf = (tools: readonly { readonly toolName: string }[]): string[] => tools.map(({ toolName }) => toolName);

describe('listTools', () => {
  it('gives tools with what the server says of them', async () => {
    const tools = await fixtureClient('echo').listTools();
    expect(findMCPTool(tools, 'mcp__echo__echo')).toMatchObject({
      name: 'mcp__echo__echo',
      serverName: 'echo',
      toolName: 'echo',
      description: 'Fixture tool echo',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, title: 'Echo' },
      isReadOnly: true,
      isConcurrencySafe: true,
      isSelfPaging: false,
      mcpTool: { name: 'echo' },
    });
    expect(findMCPTool(tools, 'mcp__echo__counter')).toMatchObject({ isReadOnly: false, isConcurrencySafe: false });
  });

  it('follows every page', async () => {
    const client = fixtureClient('many-pages');
    const tools = await client.listTools();
    expect(namesOf(tools)).toEqual(Array.from({ length: 300 }, (_, index) => `tool_${index}`));
    expect(await textOf(client, 'tool_299')).toBe('tool_299');
  });

  it.each([undefined, 'same'])('stops at pages without end (%s)', async (argument) => {
    const client = fixtureClient('endless-pages', { ...(argument && { argument }) });
    expect(await failureOf(client.listTools())).toMatchObject({ code: 'mcp-protocol-violated' });
    expect(client.state.kind).toBe('failed');
  });

  it('[M42] asks again after list_changed, and not before', async () => {
    const onToolsChanged = vi.fn<() => void>();
    const client = fixtureClient('echo', { onToolsChanged });
    const before = await client.listTools();
    expect((await client.listTools())[0]?.mcpTool).toBe(before[0]?.mcpTool);
    await client.callTool('add_tool', { name: 'fresh' });
    const after = await client.listTools();
    expect(namesOf(after)).toEqual([...namesOf(before), 'fresh']);
    expect(onToolsChanged).toHaveBeenCalledOnce();
    expect(await textOf(client, 'fresh')).toBe('called fresh');
  });

  it('asks again after a reconnect', async () => {
    const client = fixtureClient('echo');
    await client.callTool('add_tool', { name: 'fresh' });
    expect(namesOf(await client.listTools())).toContain('fresh');
    await failureOf(client.callTool('crash', {}));
    expect(namesOf(await client.listTools())).not.toContain('fresh');
  });

  it('[M27] is failed, and not well with no tools, where tools/list errors', async () => {
    const client = fixtureClient('tools-list-errors');
    expect(await failureOf(client.listTools())).toMatchObject({
      code: 'mcp-request-failed',
      details: { method: 'tools/list', problem: 'the list is broken' },
    });
    expect(client.state).toMatchObject({ kind: 'failed', reason: expect.stringContaining('the list is broken') });
  });

  it('[M27] is failed while a list that has to be asked for again cannot be had, and well after that', async () => {
    const client = fixtureClient('tools-list-errors', { argument: 'second' });
    await client.callTool('add_tool', { name: 'fresh' });
    expect(await failureOf(client.listTools())).toMatchObject({ code: 'mcp-request-failed' });
    expect(client.state.kind).toBe('failed');
    // The session is still good for calls, which say nothing about the list.
    expect(await textOf(client, 'counter')).toMatch(/^\d+$/);
    expect(client.state.kind).toBe('failed');
    expect(namesOf(await client.listTools())).toContain('fresh');
    expect(client.state.kind).toBe('connected');
    expect(client.restarts).toBe(0);
  });

  it('shows what is enabled and not disabled, and calls nothing else', async () => {
    const enabled = fixtureClient('echo', { declare: { enableTools: ['echo', 'pid', 'none'] } });
    expect(namesOf(await enabled.listTools())).toEqual(['echo', 'pid']);
    expect(await failureOf(enabled.callTool('counter', {}))).toMatchObject({
      code: 'mcp-tool-not-found',
      details: { name: 'echo', tool: 'counter' },
    });
    const disabled = fixtureClient('echo', { declare: { disableTools: ['crash'] } });
    expect(namesOf(await disabled.listTools())).not.toContain('crash');
    expect(await failureOf(disabled.callTool('crash', {}))).toMatchObject({ code: 'mcp-tool-not-found' });
    expect(await textOf(disabled, 'counter')).toBe('1');
  });

  it('takes the first of two tools with one name, and says so', async () => {
    const warn = vi.fn<(message: string, details?: object) => void>();
    const ignore = (): void => undefined;
    const client = fixtureClient('duplicate-tools', { logger: { debug: ignore, info: ignore, warn, error: ignore } });
    const tools = await client.listTools();
    expect(namesOf(tools)).toEqual(['same', 'other']);
    expect(tools[0]?.description).toBe('first');
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('same name'), {
      server: 'duplicate-tools',
      tool: 'same',
    });
  });
});

describe('the names of tools', () => {
  it('[M13] [M14] are legal, different, and lead back to the exact tool', async () => {
    const tools = await fixtureClient('odd-names').listTools();
    expect(tools).toHaveLength(6);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(6);
    for (const { name, toolName } of tools) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      const chunks = await Array.fromAsync(findMCPTool(tools, name)?.call({}) ?? []);
      expect(chunks.at(-1)?.content).toMatchObject([{ text: `called ${toolName}` }]);
    }
    expect(namesOf(tools)).toEqual(expect.arrayContaining(['ns:do', 'fs.read']));
  });

  it('[M16] tell the same tool of two servers apart', async () => {
    const one = fixtureClient('echo', { declare: { name: 'one' } });
    const two = fixtureClient('echo', { declare: { name: 'two' } });
    const tools = [...(await one.listTools()), ...(await two.listTools())];
    const pids = await Promise.all(
      ['mcp__one__pid', 'mcp__two__pid'].map(async (name) => {
        const [chunk] = await Array.fromAsync(findMCPTool(tools, name)?.call({}) ?? []);
        return Number((chunk?.content[0] as { text?: string } | undefined)?.text);
      }),
    );
    expect(pids.every(isRunning)).toBe(true);
    expect(new Set(pids).size).toBe(2);
  });
});
