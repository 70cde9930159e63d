import { randomUUID } from 'node:crypto';
import type { DataBlock, TextBlock, ToolChunk, ToolResultState } from '@agent-workspace/core';

/** What a function gives as the result of a tool: a text, or blocks. */
export type ToolOutput = string | readonly (TextBlock | DataBlock)[];

/** A whole result that is one text. */
export function textChunk(text: string, state: ToolResultState = 'success'): ToolChunk {
  return { content: [{ type: 'text', id: randomUUID(), text }], state, isLast: true, metadata: {} };
}

/** A whole result. */
export function outputChunk(output: ToolOutput): ToolChunk {
  if (typeof output === 'string') return textChunk(output);
  return { content: withIds(output), state: 'success', isLast: true, metadata: {} };
}

/** Blocks with the same id are put together as one, so that a missing or repeated id loses none. */
function withIds(blocks: readonly (TextBlock | DataBlock)[]): readonly (TextBlock | DataBlock)[] {
  const seen = new Set<string>();
  return blocks.map((block) => {
    const isNew = block.id !== '' && !seen.has(block.id);
    const id = isNew ? block.id : randomUUID();
    seen.add(id);
    return { ...block, id };
  });
}
