/*
 * AgentScope's content blocks, with its names, since they are stored as they are. Fields that we
 * do not know are kept: providers add their own, and newer versions too.
 */

interface Stamped {
  readonly id: string;
  /** Local ISO 8601 without a zone, as AgentScope writes it. */
  readonly created_at?: string | null | undefined;
  readonly finished_at?: string | null | undefined;
  readonly [extra: string]: unknown;
}

export interface Base64Source {
  readonly type: 'base64';
  readonly data: string;
  readonly media_type: string;
  readonly [extra: string]: unknown;
}

export interface URLSource {
  readonly type: 'url';
  readonly url: string;
  readonly media_type: string;
  readonly [extra: string]: unknown;
}

/** Text. */
export interface TextBlock extends Stamped {
  readonly type: 'text';
  readonly text: string;
}

/** Media, inline as base64 or by URL. */
export interface DataBlock extends Stamped {
  readonly type: 'data';
  readonly source: Base64Source | URLSource;
  readonly name?: string | null | undefined;
}

/** What a model thought before it answered. */
export interface ThinkingBlock extends Stamped {
  readonly type: 'thinking';
  readonly thinking: string;
}

/** Something that the host tells the model in passing. */
export interface HintBlock extends Stamped {
  readonly type: 'hint';
  readonly hint: string | readonly (TextBlock | DataBlock)[];
  readonly source?: string | null | undefined;
}

/** A model's call of a tool; `id` is the call's. */
export interface ToolCallBlock extends Stamped {
  readonly type: 'tool_call';
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly input: string;
  readonly state?: 'pending' | 'asking' | 'allowed' | 'submitted' | 'finished' | undefined;
  readonly suggested_rules?: readonly unknown[] | undefined;
}

export type ToolResultState = 'success' | 'error' | 'interrupted' | 'denied' | 'running';

/** The outcome of a call; `id` is the call's. */
export interface ToolResultBlock extends Stamped {
  readonly type: 'tool_result';
  readonly name: string;
  readonly output: string | readonly (TextBlock | DataBlock)[];
  readonly state?: ToolResultState | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

export type ContentBlock = TextBlock | DataBlock | ThinkingBlock | HintBlock | ToolCallBlock | ToolResultBlock;
