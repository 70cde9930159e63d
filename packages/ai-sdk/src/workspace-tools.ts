import { collectToolResult, type Tool, type WorkspaceSession } from '@agent-workspace/core';
import { CallGate, Toolkit, type ToolkitProblem } from '@agent-workspace/toolkit';
import { dynamicTool, jsonSchema, type ToolSet } from 'ai';
import { keepOutputSmall, type OutputLimits } from './keep-output-small.ts';
import { toModelOutput, type WorkspaceToolOutput } from './tool-output.ts';
import { waysToRead } from './ways-to-read.ts';

/** About 8,000 tokens: long enough for most results, and a few of them still fit any window. */
const DEFAULT_OFFLOAD_THRESHOLD_CHARS = 30_000;
/** Enough to see what a result is. */
const DEFAULT_PREVIEW_CHARS = 2_000;
/** What 5 MB of base64 hold, the smallest limit that a large provider has for one image. */
const DEFAULT_MAX_INLINE_MEDIA_BYTES = 3_750_000;
/** What the large providers take in a tool's result. */
const DEFAULT_MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];

export interface WorkspaceToolsOptions {
  readonly session: WorkspaceSession;
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
  /** Called for each MCP server that could not be asked for its tools. */
  readonly onProblem?: ((problem: ToolkitProblem) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Agents of one session take turns, so that no two of their calls get in each other's way. */
const gates = new WeakMap<WorkspaceSession, CallGate>();

/**
 * A session's tools, those of its MCP servers and the skill viewer, as AI SDK tools in a stable
 * order. A step's calls run at once, but for those of tools that are not concurrency-safe.
 *
 * @throws `tool-name-conflict`
 */
export async function workspaceTools(options: WorkspaceToolsOptions): Promise<ToolSet> {
  const { session, isEnabled = () => true } = options;
  const limits: OutputLimits = {
    offloadThresholdChars: options.offloadThresholdChars ?? DEFAULT_OFFLOAD_THRESHOLD_CHARS,
    previewChars: options.previewChars ?? DEFAULT_PREVIEW_CHARS,
    maxInlineMediaBytes: options.maxInlineMediaBytes ?? DEFAULT_MAX_INLINE_MEDIA_BYTES,
    mediaTypes: options.mediaTypes ?? DEFAULT_MEDIA_TYPES,
  };
  const gate = gates.get(session) ?? new CallGate();
  gates.set(session, gate);
  const [tools, mcps, skills] = await Promise.all([session.listTools(), session.listMcps(), session.listSkills()]);
  const toolkit = new Toolkit({ tools, mcps, skills, gate });
  const listed = await toolkit.list({ signal: options.signal });
  for (const problem of toolkit.problems) options.onProblem?.(problem);

  const enabled = withWayBack(listed, isEnabled, limits);
  const readWith = waysToRead(enabled.map(({ name }) => name)) ?? 'a tool that reads files';
  return Object.fromEntries(enabled.map((tool) => [tool.name, toAiTool(tool, { toolkit, session, limits, readWith })]));
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
}

function toAiTool(tool: Tool, { toolkit, session, limits, readWith }: Surroundings): ToolSet[string] {
  const { name, description, inputSchema, isSelfPaging } = tool;
  return dynamicTool({
    description,
    // Not validated here: the tools and servers check their arguments, and say it better.
    inputSchema: jsonSchema(inputSchema),
    execute: async (input, { toolCallId, abortSignal }): Promise<WorkspaceToolOutput> => {
      const result = await collectToolResult(toolkit.run(name, input, { toolCallId, signal: abortSignal }));
      return await keepOutputSmall(result, { ...limits, session, toolCallId, toolName: name, isSelfPaging, readWith });
    },
    toModelOutput: ({ output }) => toModelOutput(output, session.workdir),
  });
}
