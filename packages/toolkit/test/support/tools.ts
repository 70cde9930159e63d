import { collectToolResult, type MCPClient, type MCPTool, type Tool, type ToolResult } from '@agent-workspace/core';
import { z } from 'zod';
import { defineTool } from '../../src/define-tool.ts';
import type { RunOptions, Toolkit } from '../../src/toolkit.ts';

/** A read-only tool that says its name and what it was given. */
export function echo(name: string, extra: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({
      name,
      description: 'Gives its text back.',
      inputSchema: z.looseObject({ text: z.string() }),
      isReadOnly: true,
      execute: ({ text }) => `${name}: ${text}`,
    }),
    ...extra,
  };
}

/** A tool that changes something. */
export function writer(name: string, extra: Partial<Tool> = {}): Tool {
  return echo(name, { isReadOnly: false, isConcurrencySafe: false, ...extra });
}

/** A server that lives in this process, with tools that echo. */
export function inMemoryServer(name: string, tools: readonly string[], extra: Partial<Tool> = {}): MCPClient {
  const list = tools.map((tool): MCPTool => ({
    ...echo(`mcp__${name}__${tool}`, { checksInput: false, ...extra }),
    serverName: name,
    toolName: tool,
    mcpTool: { name: tool, inputSchema: { type: 'object' } },
  }));
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

export interface Outcome {
  readonly state: ToolResult['state'];
  readonly text: string;
}

/** A call's state and its text. */
export async function outcomeOf(
  toolkit: Toolkit,
  name: string,
  input: unknown = { text: 'x' },
  options: RunOptions = {},
): Promise<Outcome> {
  const { state, content } = await collectToolResult(toolkit.run(name, input, options));
  return {
    state,
    text: content.map((block) => (block.type === 'text' ? block.text : block.source.media_type)).join('\n'),
  };
}

/** The names that a model would see. */
export async function namesOf(toolkit: Toolkit): Promise<string[]> {
  return (await toolkit.list()).map(({ name }) => name);
}
