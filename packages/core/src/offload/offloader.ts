import type { DataBlock, ToolResultBlock } from '../messages/blocks.ts';
import type { Message } from '../messages/message.ts';

/** All that an agent needs in order to put away what no longer fits its context. */
export interface Offloader {
  /**
   * Appends messages to the session's `context.jsonl`.
   *
   * @returns the absolute path, as the agent sees it
   * @throws `message-invalid`, `base64-invalid`, `session-mismatch`
   */
  offloadContext(sessionId: string, messages: readonly Message[]): Promise<string>;
  /**
   * Writes a tool's result to a file of its own.
   *
   * @returns the absolute path, as the agent sees it
   * @throws `message-invalid`, `base64-invalid`, `session-mismatch`
   */
  offloadToolResult(sessionId: string, result: ToolResultBlock): Promise<string>;
  /**
   * Moves inline media to `data/`. A block that has a URL already is given back as it is.
   *
   * @throws `base64-invalid`
   */
  offloadDataBlock(block: DataBlock): Promise<DataBlock>;
}
