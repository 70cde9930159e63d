import { z } from '@hono/zod-openapi';

const MOST_ID_CHARS = 200;

/** Any text of a line that is Unicode: how a client calls an agent or a session of its own. */
export const idSchema: z.ZodString = z
  .string()
  .min(1)
  .max(MOST_ID_CHARS)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'an id has no control characters');

export const sessionParams: z.ZodObject<{ agentId: z.ZodString; sessionId: z.ZodString }> = z.object({
  agentId: idSchema,
  sessionId: idSchema,
});

export const workspaceParams: z.ZodObject<{ workspaceId: z.ZodString }> = z.object({ workspaceId: idSchema });

/** In whose view a workspace is looked at. */
export const scopeQuery: z.ZodObject<{
  agentId: z.ZodOptional<z.ZodString>;
  sessionId: z.ZodOptional<z.ZodString>;
}> = z.object({ agentId: idSchema.optional(), sessionId: idSchema.optional() });

const errorSchema = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
      isRetryable: z.boolean(),
    }),
  })
  .openapi('Error');

interface Described {
  readonly description: string;
}

interface WithSchema<T extends z.ZodType> extends Described {
  readonly content: { readonly 'application/json': { readonly schema: T } };
}

/** An answer in JSON. */
export function json<T extends z.ZodType>(description: string, schema: T): WithSchema<T> {
  return { description, content: { 'application/json': { schema } } };
}

/** What every route may answer instead: see API.md for the codes. */
export const failures: { readonly '4XX': Described; readonly '5XX': Described } = {
  '4XX': {
    description: 'The request cannot be granted.',
    content: { 'application/json': { schema: errorSchema } },
  } as Described,
  '5XX': { description: 'The service, or what stands behind it, failed.' },
};

/** Marks what wants a tenant's token. */
export const secured: { readonly bearer: string[] }[] = [{ bearer: [] }];
