import { KubernetesRefusedError, KubernetesUnavailableError, WorkspaceError } from '@agent-workspace/core';

/** What the cluster answers where it does not do something. */
interface Status {
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
}

/** What the client rejects with where there was an answer. */
interface ApiProblem {
  readonly code: number;
  readonly body: unknown;
}

const UNAUTHORIZED = 401;

/**
 * The one place where the client's errors become ours.
 *
 * @param operation what is asked, as it reads after "did not"
 * @param server the address of the API server
 */
export function translateError(error: unknown, operation: string, server: string): WorkspaceError {
  if (WorkspaceError.isInstance(error)) return error;
  if (isApiProblem(error)) {
    return translateStatus(error.code, statusOf(error.body), { operation, server, cause: error });
  }
  return new KubernetesUnavailableError({ server, reason: reasonOf(error) }, { cause: error });
}

export interface StatusContext {
  readonly operation: string;
  readonly server: string;
  readonly cause?: unknown;
}

/** An answer of the cluster as an error. */
export function translateStatus(
  status: number,
  { message, reason: statusReason }: Status,
  { operation, server, cause }: StatusContext,
): WorkspaceError {
  if (status === UNAUTHORIZED) {
    const reason = `it does not accept the credentials (${message ?? 'Unauthorized'})`;
    return new KubernetesUnavailableError({ server, reason }, { cause });
  }
  const reason = message ?? statusReason ?? 'it gave no reason';
  return new KubernetesRefusedError({ operation, reason, status, statusReason }, { cause });
}

function isApiProblem(error: unknown): error is ApiProblem {
  return error instanceof Error && 'body' in error && typeof (error as { code?: unknown }).code === 'number';
}

/** What an answer's body says; a proxy on the way may say it in words of its own. */
export function statusOf(body: unknown): Status {
  if (typeof body !== 'string') return (body as Status | undefined) ?? {};
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) return parsed;
  } catch {
    // Words, then.
  }
  return body.trim() === '' ? {} : { message: body.trim().slice(0, MAX_WORDS) };
}

const MAX_WORDS = 500;

/** `fetch` says why in the cause of its error, and a connection that tried several addresses in each of them. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined && error.message === 'fetch failed') return reasonOf(error.cause);
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}

/** Whether the cluster answered with this HTTP status. */
export function hasStatus(error: unknown, status: number): error is KubernetesRefusedError {
  return KubernetesRefusedError.isInstance(error) && error.details.status === status;
}
