import {
  GatewayConnectionLostError,
  GatewayUnauthorizedError,
  GatewayUnreachableError,
  type WorkspaceError,
} from '@agent-workspace/core';
import type { GatewayAnswer } from '@agent-workspace/gateway-client';

/** As the gateway marks each error of its own. */
const PROBLEM = 'application/problem+json';

/** What E2B's proxy says of a sandbox that it does not lead to. Nothing has reached the gateway then. */
const NOT_FOUND = /sandbox was not found|sandbox .*not found/i;

/**
 * What an error means that E2B's proxy gives in the gateway's place. What may have reached the gateway
 * is a connection that broke, so that nothing is done twice.
 */
export function explainAnswer(answer: GatewayAnswer, operation: string): WorkspaceError | undefined {
  const { status, contentType, bytes } = answer;
  if (contentType.startsWith(PROBLEM)) return undefined;
  const message = messageOf(bytes);
  const reason = `E2B's proxy answers ${status}${message === '' ? '' : ` (${message})`}`;
  switch (status) {
    case 403:
      return new GatewayUnauthorizedError({ reason });
    case 409:
    case 429:
      return new GatewayUnreachableError({ operation, reason });
    case 502:
      return NOT_FOUND.test(message)
        ? new GatewayUnreachableError({ operation, reason })
        : new GatewayConnectionLostError({ operation, reason });
    case 503:
    case 504:
      return new GatewayConnectionLostError({ operation, reason });
    default:
      return undefined;
  }
}

const MAX_CHARACTERS = 200;

function messageOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8');
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message.slice(0, MAX_CHARACTERS) : '';
  } catch {
    // A page for people.
    return '';
  }
}
