import type { DataBlock, TextBlock, ToolResultState } from '../messages/blocks.ts';

/** A JSON Schema (2020-12) of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ToolCallOptions {
  /** The model's id of this call. Offloaded results are named after it. */
  readonly toolCallId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A piece of a tool's result. Pieces add up: a block with the id of an earlier one continues it,
 * the last state counts. `metadata.mcp_progress` is passing news and adds nothing.
 */
export interface ToolChunk {
  readonly content: readonly (TextBlock | DataBlock)[];
  readonly state: ToolResultState;
  readonly isLast: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Hints on what a tool does, in MCP's terms. */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** Something that a model can call. */
export interface Tool {
  /** As the model sees it: at most 64 characters of `[A-Za-z0-9_-]`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations?: ToolAnnotations | undefined;
  /** Changes nothing. */
  readonly isReadOnly: boolean;
  /** May run beside other calls. */
  readonly isConcurrencySafe: boolean;
  /** Pages its results itself, so that they are never offloaded: an offloaded Read is a loop. */
  readonly isSelfPaging: boolean;
  /**
   * Checks its input itself and says what is wrong with it, so that nobody has to before. Default
   * `false`.
   */
  readonly checksInput?: boolean | undefined;
  /**
   * Runs the tool. What the model can act on (bad input, a missing file, a failed command) is a
   * chunk with `state: 'error'`; an exception is a fault of the workspace, or the caller's abort.
   */
  call(input: unknown, options?: ToolCallOptions): AsyncIterable<ToolChunk>;
}
