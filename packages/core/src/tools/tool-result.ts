import type { DataBlock, TextBlock, ToolResultState } from '../messages/blocks.ts';
import type { ToolChunk } from './tool.ts';

/** A tool's result with all of its pieces put together. */
export interface ToolResult {
  readonly content: readonly (TextBlock | DataBlock)[];
  readonly state: ToolResultState;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Puts the chunks of a call together: see {@link ToolChunk} for the rule. */
export async function collectToolResult(chunks: AsyncIterable<ToolChunk> | Iterable<ToolChunk>): Promise<ToolResult> {
  const content = new Map<string, TextBlock | DataBlock>();
  let state: ToolResultState = 'success';
  let metadata: Record<string, unknown> = {};
  for await (const chunk of chunks) {
    for (const block of chunk.content) {
      const earlier = content.get(block.id);
      const continues = earlier?.type === 'text' && block.type === 'text';
      content.set(block.id, continues ? { ...block, text: earlier.text + block.text } : block);
    }
    state = chunk.state;
    const { mcp_progress: _progress, ...lasting } = chunk.metadata;
    metadata = { ...metadata, ...lasting };
  }
  return { content: [...content.values()], state, metadata };
}
