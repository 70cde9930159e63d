import { randomUUID } from 'node:crypto';
import type { ToolChunk, ToolResultState } from '@agent-workspace/core';

/** A whole result that is one text. */
export function textChunk(text: string, state: ToolResultState = 'success'): ToolChunk {
  return { content: [{ type: 'text', id: randomUUID(), text }], state, isLast: true, metadata: {} };
}
