import { collectToolResult, type Tool, type ToolResult, type WorkspaceSession } from '@agent-workspace/core';
import type { Toolkit } from '@agent-workspace/toolkit';

/** A longer result goes to a file. */
const MAX_RESULT_CHARS = 30_000;
const PREVIEW_CHARS = 2_000;

export interface RunToolOptions {
  readonly session: WorkspaceSession;
  readonly toolkit: Toolkit;
  readonly tool: Tool;
  /** Names the file of a long result. */
  readonly toolCallId: string;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a tool. Of a long result the whole goes into the workspace; its beginning and its path are left. */
export async function runTool(input: unknown, options: RunToolOptions): Promise<ToolResult> {
  const { session, toolkit, tool, toolCallId, signal } = options;
  const result = await collectToolResult(toolkit.run(tool.name, input, { toolCallId, signal }));
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  if (tool.isSelfPaging || text.length <= MAX_RESULT_CHARS) return result;
  const block = { type: 'tool_result', id: toolCallId, name: tool.name, output: result.content } as const;
  const path = await session.offloadToolResult(session.scope.sessionId ?? 'default', block);
  const notice = `${text.slice(0, PREVIEW_CHARS)}\n[${text.length} characters in all; the whole is in ${path}]`;
  return { ...result, content: [{ type: 'text', id: toolCallId, text: notice }] };
}
