import { z } from 'zod';
import type { ContentBlock, DataBlock, ToolResultBlock } from './blocks.ts';
import type { Message } from './message.ts';

const stamped = {
  id: z.string(),
  created_at: z.string().nullish(),
  finished_at: z.string().nullish(),
};

const sourceSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('base64'), data: z.string(), media_type: z.string() }),
  z.looseObject({ type: z.literal('url'), url: z.string(), media_type: z.string() }),
]);

const textSchema = z.looseObject({ type: z.literal('text'), text: z.string(), ...stamped });
const dataSchema = z.looseObject({
  type: z.literal('data'),
  source: sourceSchema,
  name: z.string().nullish(),
  ...stamped,
});
const thinkingSchema = z.looseObject({ type: z.literal('thinking'), thinking: z.string(), ...stamped });
const contentSchema = z.union([z.string(), z.array(z.discriminatedUnion('type', [textSchema, dataSchema]))]);
const hintSchema = z.looseObject({
  type: z.literal('hint'),
  hint: contentSchema,
  source: z.string().nullish(),
  ...stamped,
});
const toolCallSchema = z.looseObject({
  type: z.literal('tool_call'),
  name: z.string(),
  input: z.string(),
  state: z.enum(['pending', 'asking', 'allowed', 'submitted', 'finished']).optional(),
  suggested_rules: z.array(z.unknown()).optional(),
  ...stamped,
});
const toolResultSchema = z.looseObject({
  type: z.literal('tool_result'),
  name: z.string(),
  output: contentSchema,
  state: z.enum(['success', 'error', 'interrupted', 'denied', 'running']).optional(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  ...stamped,
});

export const dataBlockSchema: z.ZodType<DataBlock> = dataSchema;
export const toolResultBlockSchema: z.ZodType<ToolResultBlock> = toolResultSchema;

export const contentBlockSchema: z.ZodType<ContentBlock> = z.discriminatedUnion('type', [
  textSchema,
  dataSchema,
  thinkingSchema,
  hintSchema,
  toolCallSchema,
  toolResultSchema,
]);

/** AgentScope's `Msg`. Fields that we do not know are kept. */
export const messageSchema: z.ZodType<Message> = z.looseObject({
  name: z.string(),
  content: z.array(contentBlockSchema),
  role: z.enum(['user', 'assistant', 'system']),
  id: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  created_at: z.string().nullish(),
  usage: z.record(z.string(), z.unknown()).nullish(),
  finished_at: z.string().nullish(),
  finished_reason: z.string().nullish(),
  structured_output: z.unknown().optional(),
  error: z.unknown().optional(),
});
