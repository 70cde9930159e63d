import { lazy, type ProcessEnd } from '@agent-workspace/core';
import { z } from 'zod';
import { processEndSchema } from './exec.ts';
import { type McpKey, type McpStatus, mcpSchemas } from './mcp.ts';
import type { WireSchema } from './wire-schema.ts';

/*
 *   GET /events  → lines of GatewayEvent, about what the asker's attachment has, `alive` at first and
 *                  whenever there is nothing else to say
 */

export type GatewayEvent =
  | { readonly type: 'alive' }
  | { readonly type: 'mcp-state-changed'; readonly mcp: McpStatus }
  | { readonly type: 'mcp-tools-changed'; readonly mcp: McpKey }
  | { readonly type: 'process-ended'; readonly id: string; readonly end: ProcessEnd };

export const eventSchema: () => WireSchema<GatewayEvent> = lazy(() => {
  const text = z.string().optional();
  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('alive') }),
    z.object({ type: z.literal('mcp-state-changed'), mcp: mcpSchemas().status as z.ZodType<McpStatus> }),
    z.object({
      type: z.literal('mcp-tools-changed'),
      mcp: z.object({ name: z.string(), agentId: text, sessionId: text, clientId: text }),
    }),
    z.object({ type: z.literal('process-ended'), id: z.string(), end: processEndSchema() as z.ZodType<ProcessEnd> }),
  ]);
});
