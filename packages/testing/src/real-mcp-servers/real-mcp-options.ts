import {
  collectToolResult,
  type DataBlock,
  type MCPClient,
  type TextBlock,
  type ToolResult,
  type Workspace,
  type WorkspaceSession,
} from '@agent-workspace/core';
import { afterAll, beforeAll } from 'vitest';
import { WorkspaceMaker, type WorkspaceContractOptions } from '../workspace-contract/contract-workspace.ts';

/** Of the package `@modelcontextprotocol/server-{name}`. */
export type RealMcpServerName = 'everything' | 'filesystem' | 'memory';

export interface RealMcpServersOptions extends Pick<WorkspaceContractOptions, 'create' | 'cleanUp'> {
  /** How a server is started where the workspace runs its own; what it is told comes after `args`. */
  server(name: RealMcpServerName): { command: string; args: string[] };
}

/** A workspace that the tests of the surrounding `describe` share, since such a server takes its time to start. */
export function useSharedWorkspace(
  options: RealMcpServersOptions,
  prepare: (workspace: Workspace) => Promise<void>,
): () => Workspace {
  const maker = new WorkspaceMaker(options);
  let workspace: Workspace | undefined;
  beforeAll(async () => {
    workspace = await maker.open();
    await prepare(workspace);
  });
  afterAll(() => maker.cleanUp());
  return () => {
    if (workspace === undefined) throw new Error('The workspace is there once the tests run.');
    return workspace;
  };
}

/** As an agent in a session has it. */
export async function clientIn(workspace: WorkspaceSession, name: RealMcpServerName): Promise<MCPClient> {
  const client = (await workspace.listMcps()).find((candidate) => candidate.name === name);
  if (client === undefined) throw new Error(`There is no server ${name}.`);
  return client;
}

/** Calls a server's tool the way an agent does. */
export async function callTool(client: MCPClient, toolName: string, input: unknown): Promise<ToolResult> {
  const tool = (await client.listTools()).find((candidate) => candidate.toolName === toolName);
  if (tool === undefined) throw new Error(`The server ${client.name} has no tool ${toolName}.`);
  return collectToolResult(tool.call(input));
}

/** Calls one of the workspace's own tools. */
export async function callOwn(session: WorkspaceSession, name: string, input: unknown): Promise<ToolResult> {
  const tool = (await session.listTools()).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return collectToolResult(tool.call(input));
}

export function textOf({ content }: { readonly content: readonly (TextBlock | DataBlock)[] }): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
