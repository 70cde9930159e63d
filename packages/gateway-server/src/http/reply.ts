import { type Logger, WorkspaceError } from '@agent-workspace/core';
import { CONTENT_TYPES, type Problem, toProblem } from '@agent-workspace/gateway-protocol';

/** What a request is answered with. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes that are there already, in any number of pieces, or that are still to come. */
  readonly body: readonly Uint8Array[] | ReadableStream<Uint8Array>;
}

/** For a caller that was told that something is busy. */
const RETRY_AFTER_SECONDS = 1;
const JSON_HEADERS = { 'content-type': CONTENT_TYPES.json };

export function jsonReply(value: unknown): Reply {
  return { status: 200, headers: JSON_HEADERS, body: [Buffer.from(JSON.stringify(value), 'utf8')] };
}

/** An answer of bytes that are there already. */
export function bytesReply(body: readonly Uint8Array[], contentType: string): Reply {
  return { status: 200, headers: { 'content-type': contentType }, body };
}

export function streamReply(body: ReadableStream<Uint8Array>, contentType: string): Reply {
  return { status: 200, headers: { 'content-type': contentType }, body };
}

/** An error as an answer. @see RFC 9457 */
export function problemReply(problem: Problem, headers: Readonly<Record<string, string>> = {}): Reply {
  return {
    status: problem.status,
    headers: {
      'content-type': CONTENT_TYPES.problem,
      ...(problem.status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(problem.status === 429 && { 'retry-after': String(RETRY_AFTER_SECONDS) }),
      ...headers,
    },
    body: [Buffer.from(JSON.stringify(problem), 'utf8')],
  };
}

/** What a request is answered with that failed. A fault of ours is logged. */
export function failureReply(error: unknown, operation: string, logger: Logger): Reply {
  if (!WorkspaceError.isInstance(error)) logger.error('A request failed', { request: operation, error });
  return problemReply(toProblem(error));
}
