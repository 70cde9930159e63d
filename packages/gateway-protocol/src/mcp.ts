import {
  lazy,
  type MCPCallResult,
  type MCPClientState,
  type McpDeclaration,
  type McpDeclarationInput,
  type MCPProgress,
  type MCPToolDescription,
  parseMcpDeclarations,
} from '@agent-workspace/core';
import { z } from 'zod';
import { type Problem, problemSchema } from './errors/problem.ts';
import { MAX_BATCHED_CALLS } from './protocol.ts';
import type { WireSchema } from './wire-schema.ts';

/*
 *   GET    /mcps                      → {mcps: McpStatus[]}, those of this attachment
 *   POST   /mcps                      RegisterMcpRequest → McpStatus. Does not connect. The same again
 *                                     changes nothing; another declaration under the same key is mcp-exists.
 *   GET    /mcps/{name}               ?agentId&sessionId&clientId → McpStatus
 *   DELETE /mcps/{name}               ?… → {}: ends the server. One that is not there is no error.
 *   POST   /mcps/{name}/connect       ?… → McpStatus
 *   GET    /mcps/{name}/tools         ?… → {tools}, every page, less what the declaration hides
 *   POST   /mcps/{name}/tools/{tool}  ?… CallToolRequest → {result}; with `Accept: application/x-ndjson`
 *                                     lines of CallLine, `result` or `problem` last.
 *   POST   /calls                     BatchRequest → lines of BatchLine, one for each call when it is over,
 *                                     and `alive` while none is: what many calls at once cost is the requests.
 *
 * A registration belongs to the attachment whose token made it, and ends with it.
 */

/** What tells registrations of one attachment apart, as the query of a URL has it. */
export interface McpKey {
  readonly name: string;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Tells the clients of one scope apart. */
  readonly clientId?: string | undefined;
}

export interface RegisterMcpRequest extends Omit<McpKey, 'name'> {
  readonly declaration: McpDeclaration;
  /** Those that the declaration names, and no other. Never given back. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  readonly connectTimeoutMs?: number | undefined;
}

/** Where a server stands. */
export interface McpStatus extends McpKey {
  /** Values of `env` and `headers` redacted, unless they are placeholders. */
  readonly declaration?: unknown;
  readonly state: MCPClientState;
  /** Made anew by every registration, so that one that was lost can be told from the next. */
  readonly registrationId: string;
  /** Counts the changes of the state: of two statuses the later one has the larger. */
  readonly revision: number;
  readonly restarts: number;
  readonly lastError?: Problem | undefined;
  readonly stderrTail: string;
}

export interface CallToolRequest {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number | undefined;
}

/** A call of a tool with others. */
export interface BatchedCall extends McpKey, CallToolRequest {
  /** Names the call in its answer, and for `DELETE /calls/{id}`. */
  readonly id: string;
  readonly tool: string;
}

export interface BatchRequest {
  readonly calls: readonly BatchedCall[];
}

export type BatchLine =
  | { readonly type: 'alive' }
  | { readonly type: 'result'; readonly id: string; readonly result: MCPCallResult }
  | { readonly type: 'problem'; readonly id: string; readonly problem: Problem };

export type CallLine =
  | ({ readonly type: 'progress' } & MCPProgress)
  | { readonly type: 'alive' }
  | { readonly type: 'result'; readonly result: MCPCallResult }
  | { readonly type: 'problem'; readonly problem: Problem };

export interface McpSchemas {
  readonly register: WireSchema<RegisterMcpRequest>;
  readonly status: WireSchema<McpStatus>;
  readonly list: WireSchema<{ readonly mcps: readonly McpStatus[] }>;
  readonly tools: WireSchema<{ readonly tools: readonly MCPToolDescription[] }>;
  readonly call: WireSchema<CallToolRequest>;
  readonly callAnswer: WireSchema<{ readonly result: MCPCallResult }>;
  readonly callLine: WireSchema<CallLine>;
  readonly batch: WireSchema<BatchRequest>;
  readonly batchLine: WireSchema<BatchLine>;
}

/** As the query of a URL, without its `?`; empty for an unscoped server. */
export function mcpQuery({ agentId, sessionId, clientId }: Omit<McpKey, 'name'>): string {
  const query = new URLSearchParams();
  if (agentId !== undefined) query.set('agentId', agentId);
  if (sessionId !== undefined) query.set('sessionId', sessionId);
  if (clientId !== undefined) query.set('clientId', clientId);
  return query.toString();
}

/** The declaration's own reader decides what is one. */
function declarationSchema(): z.ZodType<McpDeclaration> {
  return z.unknown().transform((value, context): McpDeclaration => {
    try {
      const [declaration, more] = parseMcpDeclarations(value as McpDeclarationInput);
      if (declaration !== undefined && more === undefined) return declaration;
      context.addIssue('a declaration is one server');
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : String(error));
    }
    return z.NEVER;
  });
}

export const mcpSchemas: () => McpSchemas = lazy(() => {
  const text = z.string().optional();
  const scope = { agentId: text, sessionId: text, clientId: text };
  const problem = problemSchema() as z.ZodType<Problem>;
  const state = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('idle') }),
    z.object({ kind: z.literal('connecting') }),
    z.object({ kind: z.literal('connected'), pid: z.number().optional() }),
    z.object({ kind: z.literal('failed'), reason: z.string(), retryAt: z.number().optional() }),
    z.object({ kind: z.literal('closed') }),
  ]);
  const status = z.object({
    name: z.string(),
    ...scope,
    declaration: z.unknown().optional(),
    state,
    registrationId: z.string(),
    revision: z.number(),
    restarts: z.number(),
    lastError: problem.optional(),
    stderrTail: z.string(),
  });
  const record = z.record(z.string(), z.unknown());
  const call = { arguments: record, timeoutMs: z.number().positive().optional() };
  // Whatever a server puts into it is the server's, and is handed on as it came.
  const content = z.custom<MCPCallResult['content']>((value) => Array.isArray(value));
  const result = z.looseObject({ content, isError: z.boolean().optional() });
  return {
    register: z.object({
      declaration: declarationSchema(),
      ...scope,
      secrets: z.record(z.string(), z.string()).optional(),
      connectTimeoutMs: z.number().positive().optional(),
    }),
    status,
    list: z.object({ mcps: z.array(status) }),
    tools: z.object({
      tools: z.array(
        z.looseObject({
          name: z.string(),
          title: text,
          description: text,
          inputSchema: record,
          outputSchema: record.optional(),
          annotations: record.optional(),
        }),
      ),
    }),
    call: z.object(call),
    batch: z.object({
      calls: z
        .array(z.object({ id: z.string(), name: z.string(), ...scope, tool: z.string(), ...call }))
        .max(MAX_BATCHED_CALLS),
    }),
    batchLine: z.discriminatedUnion('type', [
      z.object({ type: z.literal('alive') }),
      z.object({ type: z.literal('result'), id: z.string(), result }),
      z.object({ type: z.literal('problem'), id: z.string(), problem }),
    ]),
    callAnswer: z.object({ result }),
    callLine: z.discriminatedUnion('type', [
      z.object({
        type: z.literal('progress'),
        progress: z.number(),
        total: z.number().optional(),
        message: z.string().optional(),
      }),
      z.object({ type: z.literal('alive') }),
      z.object({ type: z.literal('result'), result }),
      z.object({ type: z.literal('problem'), problem }),
    ]),
  };
});
