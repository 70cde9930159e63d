import { type DataBlock, type TextBlock, type ToolResult, type WorkspaceSession } from '@agent-workspace/core';
import { stableId } from './message-hash.ts';
import type { WorkspaceToolOutput } from './tool-output.ts';

export interface OutputLimits {
  readonly offloadThresholdChars: number;
  readonly previewChars: number;
  readonly maxInlineMediaBytes: number;
  readonly mediaTypes: readonly string[];
}

export interface KeepOutputSmallOptions extends OutputLimits {
  readonly session: WorkspaceSession;
  readonly toolCallId: string;
  readonly toolName: string;
  /** The tool pages its results itself. */
  readonly isSelfPaging: boolean;
  /** How the agent reads files, as `waysToRead` says it. */
  readonly readWith: string;
}

/**
 * Puts into the workspace what is too large for the context: of a long result the whole, with its
 * beginning and its path left, and of media those that a model does not take.
 */
export async function keepOutputSmall(
  result: ToolResult,
  options: KeepOutputSmallOptions,
): Promise<WorkspaceToolOutput> {
  const { session, toolCallId, toolName, isSelfPaging, readWith, offloadThresholdChars } = options;
  const content: (TextBlock | DataBlock)[] = [];
  for (const block of result.content) {
    content.push(block.type === 'data' && !isInline(block, options) ? await session.offloadDataBlock(block) : block);
  }
  const texts = content.filter((block) => block.type === 'text');
  const length = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (isSelfPaging || length <= offloadThresholdChars) return { content, state: result.state };

  const sessionId = session.scope.sessionId ?? 'default';
  const block = { type: 'tool_result', id: toolCallId, name: toolName, output: content, state: result.state } as const;
  const path = await session.offloadToolResult(sessionId, block);
  const head = takeChars(texts, Math.min(options.previewChars, offloadThresholdChars));
  const notice =
    `${head}\n<<<CUT>>>\n` +
    `<system-reminder>The result has ${length} characters; only the first ${head.length} are above. ` +
    `All of it is in ${path}. Read it with ${readWith}.</system-reminder>`;
  return {
    content: [
      { type: 'text', id: stableId(toolCallId, 'preview'), text: notice },
      ...content.filter(({ type }) => type === 'data'),
    ],
    state: result.state,
    offloadedTo: path,
  };
}

function isInline(block: DataBlock, limits: OutputLimits): boolean {
  const { source } = block;
  if (source.type === 'url') return true;
  const sizeBytes = (source.data.length * 3) / 4;
  return sizeBytes <= limits.maxInlineMediaBytes && limits.mediaTypes.includes(source.media_type);
}

/** The first characters of some texts, cut between code points. */
function takeChars(texts: readonly TextBlock[], limit: number): string {
  let head = '';
  for (const { text } of texts) {
    head += text.slice(0, limit - head.length);
    if (head.length >= limit) break;
  }
  return head.replace(/[\uD800-\uDBFF]$/u, '');
}
