import { E2BOptionsInvalidError, E2BRequestFailedError, WorkspaceError } from '@agent-workspace/core';
import {
  AuthenticationError,
  InvalidArgumentError,
  RateLimitError,
  SandboxError,
  SandboxNotFoundError,
  ServiceBusyError,
} from 'e2b';

/** Where a whole route is missing there is no word of what was asked for. */
const ROUTE_UNKNOWN = /^40[45]: (?:not found|method not allowed|404 page not found|.*<html|\[object|undefined)/i;

/** The HTTP status behind an error of the SDK, where it can be known. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof AuthenticationError) return 401;
  if (error instanceof InvalidArgumentError) return 400;
  if (error instanceof RateLimitError) return 429;
  if (error instanceof ServiceBusyError) return 503;
  if (error instanceof SandboxNotFoundError) return 404;
  return error instanceof SandboxError ? error.statusCode : undefined;
}

/** The one place where errors of the SDK become ours. What is ours already stays as it is. */
export function translateError(error: unknown, operation: string): WorkspaceError {
  if (WorkspaceError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const status = statusOf(error);
  const cause = { cause: error };
  if (status === 401 && message.startsWith('API key is required')) {
    return new E2BOptionsInvalidError(
      { option: 'apiKey', reason: 'there is none; give it, or set E2B_API_KEY.' },
      cause,
    );
  }
  if ((status === 404 || status === 405) && ROUTE_UNKNOWN.test(message)) {
    const reason = `${message}. The server does not know this request: it may be older than the e2b SDK that this package uses (2.51)`;
    return new E2BRequestFailedError({ operation, reason, status }, cause);
  }
  return new E2BRequestFailedError({ operation, reason: explain(error, message), status }, cause);
}

function explain(error: unknown, message: string): string {
  const inner = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${message}${inner}`;
}
