import {
  GatewayAnswerInvalidError,
  GatewayConnectionLostError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  WorkspaceError,
} from '@agent-workspace/core';
import { wasNotRead } from './connector.ts';
import type { GatewayRequest } from './request.ts';

function codeOf(error: unknown): string {
  const code: unknown = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** As much as one write and one read take, headers included. */
const SINGLE_WRITE_BYTES = 16 * 1024;

/** Whether the whole request goes out in one write. */
function isSmall({ body }: GatewayRequest): boolean {
  if (body === undefined) return true;
  return (typeof body === 'string' || body instanceof Uint8Array) && body.length <= SINGLE_WRITE_BYTES;
}

/**
 * The one place where errors of undici and of sockets become ours. What is ours already stays as it is.
 *
 * @param silenceMs how long the gateway was waited for
 */
export function translateFailure(error: unknown, request: GatewayRequest, silenceMs: number): WorkspaceError {
  const { operation } = request;
  const cause = { cause: error };
  if (GatewayUnreachableError.isInstance(error)) {
    return new GatewayUnreachableError({ operation, reason: error.details.reason }, { cause: error.cause ?? error });
  }
  if (WorkspaceError.isInstance(error)) return error;
  const code = codeOf(error);
  if (wasNotRead(error) && isSmall(request)) {
    // A gateway that died a moment ago: the connection was kept from an earlier request.
    return new GatewayUnreachableError({ operation, reason: 'it has closed the connection unread' }, cause);
  }
  const reason = error instanceof Error && error.message !== '' ? error.message : code;
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return new GatewayTimeoutError({ operation, timeoutMs: silenceMs }, cause);
    case 'UND_ERR_HEADERS_OVERFLOW':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return new GatewayAnswerInvalidError({ operation, reason }, cause);
    default:
      return error instanceof Error && error.name === 'HTTPParserError'
        ? new GatewayAnswerInvalidError({ operation, reason: `it is not HTTP (${reason})` }, cause)
        : new GatewayConnectionLostError({ operation, reason }, cause);
  }
}
