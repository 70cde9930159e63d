import { z } from 'zod';
import { MessageInvalidError } from '../errors/message-invalid-error.ts';
import type { ToolResultBlock } from './blocks.ts';
import type { Message } from './message.ts';
import { messageSchemas } from './schema.ts';

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new MessageInvalidError({ reason: z.prettifyError(parsed.error) }, { cause: parsed.error });
}

/**
 * Checks that a value is a message, AgentScope's `Msg`. Fields that are not known are kept.
 *
 * @returns a copy of it
 * @throws `message-invalid`
 */
export function parseMessage(value: unknown): Message {
  return parse(messageSchemas().message, value);
}

/** @throws `message-invalid` */
export function parseToolResult(value: unknown): ToolResultBlock {
  return parse(messageSchemas().toolResult, value);
}
