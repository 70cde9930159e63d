import type { ContentBlock } from './blocks.ts';

/** One message of a conversation, as `context.jsonl` holds it: AgentScope's `Msg`. */
export interface Message {
  readonly name: string;
  readonly content: readonly ContentBlock[];
  readonly role: 'user' | 'assistant' | 'system';
  readonly id: string;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** Local ISO 8601 without a zone, as AgentScope writes it. */
  readonly created_at?: string | null | undefined;
  readonly usage?: Readonly<Record<string, unknown>> | null | undefined;
  readonly finished_at?: string | null | undefined;
  readonly finished_reason?: string | null | undefined;
  readonly structured_output?: unknown;
  readonly error?: unknown;
  readonly [extra: string]: unknown;
}
