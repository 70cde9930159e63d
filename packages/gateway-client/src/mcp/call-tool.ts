import {
  GatewayAnswerInvalidError,
  GatewayConnectionLostError,
  type MCPCallResult,
  type MCPProgress,
} from '@agent-workspace/core';
import {
  type CallToolRequest,
  CONTENT_TYPES,
  MAX_JSON_BYTES,
  mcpSchemas,
  parseAnswer,
  reviveError,
  toWire,
} from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import { Deadline } from '../http/deadline.ts';
import { readLines } from '../http/read-lines.ts';

export interface CallToolOptions {
  readonly client: GatewayClient;
  readonly path: string;
  readonly request: CallToolRequest;
  readonly signal: AbortSignal;
  /** Milliseconds for all of it; where progress is asked for, anew with each. */
  readonly timeoutMs: number;
  readonly onProgress: ((progress: MCPProgress) => void) | undefined;
  readonly isRepeatable: boolean;
}

const OPERATION = 'tools/call';

/** Calls a tool; with its progress where that is asked for. */
export async function callTool(options: CallToolOptions): Promise<MCPCallResult> {
  const { client, path, request, signal, timeoutMs, onProgress, isRepeatable } = options;
  if (onProgress !== undefined) return callWithProgress(options, onProgress);
  const { result } = await client.json({
    operation: OPERATION,
    method: 'POST',
    path,
    body: request,
    schema: mcpSchemas().callAnswer,
    signal,
    timeoutMs,
    isRepeatable,
    lasts: true,
  });
  return result;
}

async function callWithProgress(
  { client, path, request, signal, timeoutMs, isRepeatable }: CallToolOptions,
  onProgress: (progress: MCPProgress) => void,
): Promise<MCPCallResult> {
  using deadline = new Deadline({ operation: OPERATION, timeoutMs });
  const body = await client.bytes({
    operation: OPERATION,
    path,
    body: toWire(request),
    contentType: CONTENT_TYPES.json,
    accept: CONTENT_TYPES.ndjson,
    signal,
    deadline,
    isRepeatable,
  });
  const invalid = (reason: string): Error => new GatewayAnswerInvalidError({ operation: OPERATION, reason });
  for await (const value of readLines(body, { maxLineBytes: MAX_JSON_BYTES, invalid })) {
    const line = parseAnswer(mcpSchemas().callLine, value, OPERATION);
    switch (line.type) {
      case 'alive':
        break;
      case 'progress': {
        deadline.restart();
        const { progress, total, message } = line;
        onProgress({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) });
        break;
      }
      case 'result':
        return line.result;
      case 'problem':
        throw reviveError(line.problem);
    }
  }
  throw new GatewayConnectionLostError({ operation: OPERATION, reason: 'the answer ended without a result' });
}
