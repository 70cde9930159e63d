import { collectToolResult, type Tool, type ToolAnnotations, type WorkspaceSession } from '@agent-workspace/core';
import type { Toolkit, ToolkitProblem } from '@agent-workspace/toolkit';
import { dynamicTool, jsonSchema, tool as aiTool, type ToolExecutionOptions, type ToolSet } from 'ai';
import { isBuiltinName, type WorkspaceToolSet } from './builtin-tools.ts';
import { keepOutputSmall, type OutputLimits } from './keep-output-small.ts';
import { toModelOutput, type WorkspaceToolOutput } from './tool-output.ts';
import { type SessionToolkit, type SessionToolkitOptions, sessionToolkit } from './session-toolkit.ts';
import { isApprovedBySdk, registerTool } from './workspace-approval.ts';
import { waysToRead } from './ways-to-read.ts';

/** About 8,000 tokens: long enough for most results, and a few of them still fit any window. */
const DEFAULT_OFFLOAD_THRESHOLD_CHARS = 30_000;
/** Enough to see what a result is. */
const DEFAULT_PREVIEW_CHARS = 2_000;
/** What 5 MB of base64 hold, the smallest limit that a large provider has for one image. */
const DEFAULT_MAX_INLINE_MEDIA_BYTES = 3_750_000;
/** What the large providers take in a tool's result. */
const DEFAULT_MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];

export interface WorkspaceToolsOptions extends SessionToolkitOptions {
  /**
   * A result with more text than this many UTF-16 units goes to a file. `Infinity`: never.
   * Default 30,000.
   */
  readonly offloadThresholdChars?: number | undefined;
  /** How much of such a result is left. Default 2,000. */
  readonly previewChars?: number | undefined;
  /** Larger media go to `data/`, and the model gets their path. Default 3,750,000. */
  readonly maxInlineMediaBytes?: number | undefined;
  /**
   * Media of other types go to `data/`, too. Default: PNG, JPEG, GIF, WebP and PDF.
   */
  readonly mediaTypes?: readonly string[] | undefined;
  /**
   * Which of the session's tools, those of its MCP servers included, the agent has. Default: all.
   * Where results may be offloaded and none of Read, Grep and Bash is left, Read stays, since the
   * agent could not get them back otherwise.
   */
  readonly isEnabled?: ((tool: Tool) => boolean) | undefined;
  /** Called for what could not be offered, such as an MCP server that could not be asked for its tools. */
  readonly onProblem?: ((problem: ToolkitProblem) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Tools of a session, and what they were made of. */
export interface OpenedTools extends SessionToolkit {
  readonly tools: WorkspaceToolSet;
}

/**
 * A session's tools, those of its MCP servers and the skill viewer, as AI SDK tools in a stable
 * order. A step's calls run at once, but for those of tools that are not concurrency-safe.
 *
 * With groups the tools of all of them are in it, since the SDK takes no more tools once it runs:
 * `agentSettings` names those that are active to it at each step.
 *
 * @throws `tool-name-conflict`, `toolkit-options-invalid`
 */
export async function workspaceTools(options: WorkspaceToolsOptions): Promise<WorkspaceToolSet> {
  return (await openTools(options)).tools;
}

/** As `workspaceTools`, with the toolkit behind them. */
export async function openTools(options: WorkspaceToolsOptions): Promise<OpenedTools> {
  const { session, permissions, isEnabled = () => true } = options;
  const limits: OutputLimits = {
    offloadThresholdChars: options.offloadThresholdChars ?? DEFAULT_OFFLOAD_THRESHOLD_CHARS,
    previewChars: options.previewChars ?? DEFAULT_PREVIEW_CHARS,
    maxInlineMediaBytes: options.maxInlineMediaBytes ?? DEFAULT_MAX_INLINE_MEDIA_BYTES,
    mediaTypes: options.mediaTypes ?? DEFAULT_MEDIA_TYPES,
  };
  const opened = await sessionToolkit(options);
  const { toolkit, builtins } = opened;
  const listed = await toolkit.list({ includeInactive: true, signal: options.signal });
  for (const problem of toolkit.problems) options.onProblem?.(problem);

  const enabled = withWayBack(listed, isEnabled, limits);
  const readWith = waysToRead(enabled.map(({ name }) => name)) ?? 'a tool that reads files';
  const asksItself = permissions?.approve !== undefined;
  const surroundings: Surroundings = { toolkit, session, limits, readWith, asksItself, builtins };
  const tools = Object.fromEntries(enabled.map((tool) => [tool.name, toAiTool(tool, surroundings)]));
  return { ...opened, tools };
}

function withWayBack(listed: readonly Tool[], isEnabled: (tool: Tool) => boolean, limits: OutputLimits): Tool[] {
  const enabled = listed.filter(isEnabled);
  const mayOffload = Number.isFinite(limits.offloadThresholdChars) && enabled.some((tool) => !tool.isSelfPaging);
  if (!mayOffload || waysToRead(enabled.map(({ name }) => name)) !== undefined) return enabled;
  return listed.filter((tool) => tool.name === 'Read' || isEnabled(tool));
}

interface Surroundings {
  readonly toolkit: Toolkit;
  readonly session: WorkspaceSession;
  readonly limits: OutputLimits;
  readonly readWith: string;
  readonly asksItself: boolean;
  readonly builtins: ReadonlySet<Tool>;
}

function toAiTool(tool: Tool, surroundings: Surroundings): ToolSet[string] {
  const { toolkit, session, limits, readWith, asksItself, builtins } = surroundings;
  const { name, description, inputSchema, isSelfPaging } = tool;
  const execute = async (input: unknown, call: ToolExecutionOptions<unknown>): Promise<WorkspaceToolOutput> => {
    const { toolCallId, abortSignal: signal, messages } = call;
    const isApproved = !asksItself && isApprovedBySdk(messages, toolCallId);
    const result = await collectToolResult(toolkit.run(name, input, { toolCallId, signal, isApproved }));
    return await keepOutputSmall(result, { ...limits, session, toolCallId, toolName: name, isSelfPaging, readWith });
  };
  registerTool(execute, { toolkit, asksItself });
  const settings = {
    description,
    // Not validated here: the toolkit, the tools and the servers check arguments, and say it better.
    inputSchema: jsonSchema(inputSchema),
    ...describe(tool),
    execute,
    toModelOutput: ({ output }: { readonly output: unknown }) => toModelOutput(output, session.workdir),
  };
  return builtins.has(tool) && isBuiltinName(name) ? aiTool(settings) : dynamicTool(settings);
}

/** What people see of a tool, and what a host may want to know of it. Nothing of it is sent to a model. */
function describe(tool: Tool): { title?: string; metadata: NonNullable<ToolSet[string]['metadata']> } {
  const { title, ...hints } = tool.annotations ?? {};
  const server = 'serverName' in tool && typeof tool.serverName === 'string' ? { server: tool.serverName } : {};
  const metadata = { ...definedOnly(hints), isReadOnly: tool.isReadOnly, ...server };
  return { ...(title === undefined ? {} : { title }), metadata };
}

function definedOnly(hints: ToolAnnotations): Record<string, boolean> {
  return Object.fromEntries(Object.entries(hints).filter(([, value]) => typeof value === 'boolean'));
}
