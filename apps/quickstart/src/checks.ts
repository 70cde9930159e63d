import { readFile } from 'node:fs/promises';
import {
  collectToolResult,
  FileNotFoundError,
  type MCPTool,
  type Workspace,
  type WorkspaceSession,
} from '@agent-workspace/core';
import { TABLE_SOURCE } from './material.ts';

/** What a workspace has in it: taken before it closes, and again after it was opened anew. */
export interface Inventory {
  readonly tools: readonly string[];
  readonly mcps: readonly string[];
  readonly skills: readonly string[];
  /** Ids of the messages that were offloaded. */
  readonly context: readonly string[];
  /** Files in `data/`. */
  readonly media: readonly string[];
  /** How often the offloaded messages refer to media. */
  readonly mediaReferences: number;
  readonly report: string;
}

export async function takeInventory(
  { backend, workdir }: Workspace,
  session: WorkspaceSession,
  sessionId: string,
): Promise<Inventory> {
  const [tools, mcps, skills, context, media, report] = await Promise.all([
    session.listTools(),
    session.listMcps(),
    session.listSkills(),
    session.readContext(sessionId),
    ifThere(backend.readDirectory(`${workdir}/data`)),
    ifThere(backend.readFile(`${workdir}/report.md`)),
  ]);
  return {
    tools: tools.map(({ name }) => name),
    mcps: mcps.map(({ name }) => name),
    skills: skills.map(({ name }) => name),
    context: context.map(({ id }) => id),
    media: (media ?? []).map(({ name }) => name),
    mediaReferences: JSON.stringify(context).split('"workspace:///data/').length - 1,
    report: new TextDecoder().decode(report?.bytes),
  };
}

async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (FileNotFoundError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Something that did not turn out as it has to. */
export class DemoFailedError extends Error {
  constructor(problems: readonly string[]) {
    super(`The demo did not do what it should:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.name = 'DemoFailedError';
  }
}

/** What a run with the scripted model has to have done. */
export function problemsOfRun(run: {
  readonly inventory: Inventory;
  readonly usedTools: ReadonlySet<string>;
  readonly toolResults: readonly string[];
}): string[] {
  const { inventory, usedTools, toolResults } = run;
  const unused = [...inventory.tools, 'Skill'].filter((name) => !usedTools.has(name));
  const unusedServers = inventory.mcps.filter(
    (name) => ![...usedTools].some((tool) => tool.startsWith(`mcp__${name}__`)),
  );
  return [
    ...unused.map((name) => `the tool ${name} was not used`),
    ...unusedServers.map((name) => `no tool of the server ${name} was used`),
    ...(toolResults.length > 0 ? [] : ['no tool result was offloaded']),
    ...(inventory.context.length > 0 ? [] : ['no context was offloaded']),
    ...(inventory.mediaReferences === 2
      ? []
      : [`the image was offloaded ${inventory.mediaReferences} times instead of twice`]),
    ...(inventory.media.length === 1
      ? []
      : [`the image is there ${inventory.media.length} times instead of once: ${inventory.media.join(', ')}`]),
    ...(inventory.report.includes('Status: final') ? [] : ['report.md is not final']),
  ];
}

export interface Expectations {
  readonly inventory: Inventory;
  readonly sessionId: string;
  /** What only the scripted model is sure to have done. */
  readonly scripted: { readonly answer: string; readonly tablePath: string } | undefined;
}

/** What has to be there when the workspace is opened again. */
export async function problemsOfRestart(
  workspace: Workspace,
  session: WorkspaceSession,
  { inventory, sessionId, scripted }: Expectations,
): Promise<string[]> {
  const now = await takeInventory(workspace, session, sessionId);
  const changed = (Object.keys(inventory) as (keyof Inventory)[]).filter(
    (key) => JSON.stringify(now[key]) !== JSON.stringify(inventory[key]),
  );
  const problems = changed.map(
    (key) => `${key} was ${JSON.stringify(inventory[key])} and is ${JSON.stringify(now[key])} after the restart`,
  );
  if (scripted === undefined) return problems;
  const stored = await ifThere(workspace.backend.readFile(scripted.tablePath));
  const isWhole = new TextDecoder().decode(stored?.bytes).startsWith(await readFile(TABLE_SOURCE, 'utf8'));
  const isRemembered = (await recall(session)).includes(scripted.answer);
  return [
    ...problems,
    ...(isWhole ? [] : [`${scripted.tablePath} does not hold the table that was offloaded`]),
    ...(isRemembered ? [] : ['the server that remembers has forgotten the answer']),
  ];
}

/** What the memory server knows, asked without an agent. */
async function recall(session: WorkspaceSession): Promise<string> {
  const memory = (await session.listMcps()).find(({ name }) => name === 'memory');
  const tool: MCPTool | undefined = (await memory?.listTools())?.find(({ toolName }) => toolName === 'read_graph');
  if (tool === undefined) return '';
  const { content } = await collectToolResult(tool.call({}));
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  const graph = JSON.parse(text) as { readonly entities: readonly { readonly observations: readonly string[] }[] };
  return graph.entities.flatMap(({ observations }) => observations).join('\n');
}
