import { z } from 'zod';
import { lazy } from '../lazy.ts';
import type { ToolResultBlock } from './blocks.ts';
import type { Message } from './message.ts';

interface MessageSchemas {
  readonly message: z.ZodType<Message>;
  readonly toolResult: z.ZodType<ToolResultBlock>;
}

/** AgentScope's `Msg` and its block of a result. Fields that we do not know are kept. */
export const messageSchemas: () => MessageSchemas = lazy(() => {
  const stamped = {
    id: z.string(),
    created_at: z.string().nullish(),
    finished_at: z.string().nullish(),
  };

  const source = z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('base64'), data: z.string(), media_type: z.string() }),
    z.looseObject({ type: z.literal('url'), url: z.string(), media_type: z.string() }),
  ]);

  const text = z.looseObject({ type: z.literal('text'), text: z.string(), ...stamped });
  const data = z.looseObject({
    type: z.literal('data'),
    source,
    name: z.string().nullish(),
    ...stamped,
  });
  const thinking = z.looseObject({ type: z.literal('thinking'), thinking: z.string(), ...stamped });
  const content = z.union([z.string(), z.array(z.discriminatedUnion('type', [text, data]))]);
  const hint = z.looseObject({
    type: z.literal('hint'),
    hint: content,
    source: z.string().nullish(),
    ...stamped,
  });
  const toolCall = z.looseObject({
    type: z.literal('tool_call'),
    name: z.string(),
    input: z.string(),
    state: z.enum(['pending', 'asking', 'allowed', 'submitted', 'finished']).optional(),
    suggested_rules: z.array(z.unknown()).optional(),
    ...stamped,
  });
  const toolResult = z.looseObject({
    type: z.literal('tool_result'),
    name: z.string(),
    output: content,
    state: z.enum(['success', 'error', 'interrupted', 'denied', 'running']).optional(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
    ...stamped,
  });

  const contentBlock = z.discriminatedUnion('type', [text, data, thinking, hint, toolCall, toolResult]);

  const message = z.looseObject({
    name: z.string(),
    content: z.array(contentBlock),
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

  return { message, toolResult };
});
