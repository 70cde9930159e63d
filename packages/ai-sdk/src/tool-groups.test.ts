import type { MCPClient, MCPTool, Tool } from '@agent-workspace/core';
import type { ToolGroup } from '@agent-workspace/toolkit';
import { generateText, isStepCount, jsonSchema, tool, ToolLoopAgent } from 'ai';
import { describe, expect, it } from 'vitest';
import { memorySession, type MemorySession } from '../test/support/memory-session.ts';
import { type Answer, scriptedModel } from '../test/support/scripted-model.ts';
import { agentSettings } from './agent-settings.ts';
import type { SessionResources } from './session-toolkit.ts';

function simple(name: string): Tool {
  return {
    name,
    description: name,
    inputSchema: { type: 'object', properties: {} },
    isReadOnly: true,
    isConcurrencySafe: true,
    isSelfPaging: true,
    async *call() {
      yield await Promise.resolve({
        content: [{ type: 'text', id: 'a', text: `${name} ran` }],
        state: 'success',
        isLast: true,
        metadata: {},
      } as const);
    },
  };
}

function server(name: string): MCPClient {
  const list: MCPTool[] = [
    {
      ...simple(`mcp__${name}__run`),
      serverName: name,
      toolName: 'run',
      mcpTool: { name: 'run', inputSchema: { type: 'object' } },
      annotations: { title: `Run ${name}`, readOnlyHint: true },
    },
  ];
  return {
    isMCPClient: true,
    name,
    declaration: { name } as MCPClient['declaration'],
    isStateful: false,
    state: { kind: 'idle' },
    stderrTail: '',
    connect: async () => await Promise.resolve(),
    listTools: async () => await Promise.resolve(list),
    callTool: async () => await Promise.resolve({ content: [] }),
    close: async () => await Promise.resolve(),
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  };
}

function sessionWithServers(...names: readonly string[]): MemorySession {
  const mcps = names.map(server);
  return { ...memorySession({ tools: [simple('Bash')] }), listMcps: async () => await Promise.resolve(mcps) };
}

const byPrefix = ({ mcps }: SessionResources): readonly ToolGroup[] => [
  {
    name: 'search',
    description: 'Search.',
    instructions: 'Name your sources.',
    mcps: mcps.filter(({ name }) => name.startsWith('search')),
  },
  { name: 'git', description: 'Version control.', mcps: mcps.filter(({ name }) => name.startsWith('git')) },
];

const reset = (input: unknown): Answer => [{ tool: 'reset_tools', input }];
const mine = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'mine' });

describe('tool groups of an agent', () => {
  it('gives each step the tools of the groups that are active then', async () => {
    const session = sessionWithServers('search-web', 'git', 'files');
    const model = scriptedModel(
      reset({ search: true }),
      [{ tool: 'mcp__search-web__run', input: {} }],
      reset({ git: true }),
      'one',
      'two',
    );
    const settings = await agentSettings(session, { toolGroups: byPrefix });
    const agent = new ToolLoopAgent({ model, ...settings, tools: { ...settings.tools, mine } });
    const { steps } = await agent.generate({ prompt: 'go' });
    await agent.generate({ prompt: 'go on' });

    const basic = ['Bash', 'reset_tools', 'mcp__files__run'];
    const names = model.doGenerateCalls.map((call) => call.tools?.map(({ name }) => name));
    expect(names).toEqual([
      [...basic, 'mine'],
      [...basic, 'mcp__search-web__run', 'mine'],
      [...basic, 'mcp__search-web__run', 'mine'],
      [...basic, 'mcp__git__run', 'mine'],
      [...basic, 'mcp__git__run', 'mine'],
    ]);
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({
      content: [{ text: expect.stringContaining('Name your sources.') }],
    });
    expect(steps[1]?.toolResults[0]?.output).toMatchObject({ content: [{ text: 'mcp__search-web__run ran' }] });
  });

  it('keeps to the tools that the developer has left active', async () => {
    const model = scriptedModel(reset({ search: true }), 'done');
    const settings = await agentSettings(sessionWithServers('search-web', 'git'), { toolGroups: byPrefix });
    const activeTools = ['reset_tools', 'mcp__search-web__run'];
    await new ToolLoopAgent({ model, ...settings, activeTools }).generate({ prompt: 'go' });
    const names = model.doGenerateCalls.map((call) => call.tools?.map(({ name }) => name));
    expect(names).toEqual([['reset_tools'], activeTools]);
  });

  it('works without an agent, for one call', async () => {
    const model = scriptedModel(reset({ git: true }), 'done');
    const { tools, instructions, prepareStep } = await agentSettings(sessionWithServers('git'), {
      toolGroups: byPrefix,
    });
    await generateText({ model, tools, instructions, prepareStep, stopWhen: isStepCount(3), prompt: 'go' });
    expect(model.doGenerateCalls[1]?.tools?.map(({ name }) => name)).toEqual(['Bash', 'reset_tools', 'mcp__git__run']);
  });

  it('begins with what its caller has kept', async () => {
    const activeGroups = new Set(['git']);
    const options = { toolGroups: byPrefix, activeGroups };
    const model = scriptedModel(reset({ search: true }), 'done');
    const agent = new ToolLoopAgent({
      model,
      ...(await agentSettings(sessionWithServers('git', 'search-x'), options)),
    });
    await agent.generate({ prompt: 'go' });
    expect(model.doGenerateCalls[0]?.tools?.map(({ name }) => name)).toContain('mcp__git__run');
    expect([...activeGroups]).toEqual(['search']);
  });

  it('leaves the active tools alone without groups', async () => {
    const { prepareStep } = await agentSettings(sessionWithServers('git'), { compaction: false });
    const step = { stepNumber: 0, messages: [], steps: [], model: scriptedModel() };
    expect(await prepareStep(step as never)).toBeUndefined();
  });

  it('types the tools of the workspace, and marks those of servers as dynamic', async () => {
    const { tools } = await agentSettings(sessionWithServers('git'));
    expect(tools['Bash']?.type).toBeUndefined();
    expect(tools['mcp__git__run']).toMatchObject({
      type: 'dynamic',
      title: 'Run git',
      metadata: { server: 'git', readOnlyHint: true, isReadOnly: true },
    });
  });
});
