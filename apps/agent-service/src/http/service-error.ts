import { WorkspaceError } from '@agent-workspace/core';

/** What the service itself refuses. Other failures are the packages' own errors. */
const STATUS_OF = {
  'request-invalid': 400,
  unauthorized: 401,
  'feature-disabled': 403,
  'host-not-allowed': 403,
  'metrics-not-allowed': 403,
  'session-not-found': 404,
  'workspace-not-found': 404,
  'result-not-found': 404,
  'route-not-found': 404,
  'chat-in-progress': 409,
  'approval-not-pending': 409,
  'nothing-to-answer': 409,
  'turn-lost': 409,
  'workspace-in-use': 409,
  'body-too-large': 413,
  'range-not-satisfiable': 416,
  'too-many-failures': 429,
  'too-many-chats': 429,
  internal: 500,
  'service-draining': 503,
} as const;

export type ServiceErrorCode = keyof typeof STATUS_OF;
export type ErrorStatus = (typeof STATUS_OF)[ServiceErrorCode] | 410 | 412 | 502;

/** Failures whose remedy is to wait. */
const RETRYABLE: ReadonlySet<string> = new Set<ServiceErrorCode>([
  'service-draining',
  'too-many-failures',
  'too-many-chats',
  'chat-in-progress',
  'workspace-in-use',
]);

export class ServiceError extends WorkspaceError<ServiceErrorCode> {
  constructor(
    code: ServiceErrorCode,
    message: string,
    options: { readonly details?: Readonly<Record<string, unknown>> | undefined; readonly cause?: unknown } = {},
  ) {
    super({ code, message, details: options.details ?? {}, isRetryable: RETRYABLE.has(code), cause: options.cause });
  }
}

/** By the codes of the packages. What is not here is a fault of ours, or of what stands behind the service. */
const STATUS_OF_PACKAGES: Readonly<Record<string, ErrorStatus>> = {
  'archive-rejected': 400,
  'base64-invalid': 400,
  'encoding-unsupported': 400,
  'id-invalid': 400,
  'mcp-declaration-invalid': 400,
  'message-invalid': 400,
  'not-a-directory': 400,
  'not-a-file': 400,
  'path-invalid': 400,
  'pattern-invalid': 400,
  'skill-invalid': 400,
  'path-outside-root': 403,
  'path-protected': 403,
  'permission-denied': 403,
  'file-not-found': 404,
  'mcp-not-found': 404,
  'mcp-tool-not-found': 404,
  'skill-not-found': 404,
  'file-exists': 409,
  'mcp-exists': 409,
  'tool-name-conflict': 409,
  'workspace-lost': 410,
  'file-changed': 412,
  'file-too-large': 413,
  'limit-exceeded': 413,
  'mcp-call-timeout': 502,
  'mcp-client-closed': 502,
  'mcp-connect-failed': 502,
  'mcp-protocol-violated': 502,
  'mcp-request-failed': 502,
  'mcp-secret-missing': 502,
  'mcp-server-exited': 502,
  'mcp-session-lost': 502,
  'docker-unavailable': 503,
  'gateway-busy': 503,
  'gateway-connection-lost': 503,
  'gateway-unreachable': 503,
  'kubernetes-refused': 503,
  'kubernetes-unavailable': 503,
  'lease-unavailable': 503,
  'lock-timeout': 503,
  'manager-closed': 503,
  'manager-storage-failed': 503,
  'pod-start-failed': 503,
  'workspace-closed': 503,
};

/** Whose a workspace is stays between the manager and its owner. */
const HIDDEN: ReadonlySet<string> = new Set(['workspace-forbidden']);

export interface Answer {
  readonly status: ErrorStatus;
  readonly body: {
    readonly error: {
      readonly code: string;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>>;
      readonly isRetryable: boolean;
    };
  };
}

/** How a failure is told to a client. What is no `WorkspaceError` is told by the id of its request alone. */
export function answerTo(error: unknown, requestId: string): Answer {
  if (!WorkspaceError.isInstance(error)) return internal(requestId);
  if (HIDDEN.has(error.code)) return answerTo(workspaceNotFound(), requestId);
  const status = error instanceof ServiceError ? STATUS_OF[error.code] : STATUS_OF_PACKAGES[error.code];
  const { code, message, details, isRetryable } = error;
  return { status: status ?? 500, body: { error: { code, message, details, isRetryable } } };
}

function internal(requestId: string): Answer {
  const message = 'The service failed. Its log says why, under this request id.';
  return { status: 500, body: { error: { code: 'internal', message, details: { requestId }, isRetryable: false } } };
}

export function workspaceNotFound(): ServiceError {
  return new ServiceError('workspace-not-found', 'There is no such workspace. GET /v1/workspaces lists yours.');
}

export function sessionNotFound(): ServiceError {
  return new ServiceError('session-not-found', 'There is no such session. GET /v1/sessions lists yours.');
}

export function turnLost(): ServiceError {
  const message = 'The turn was lost: its session is gone, or another replica may have it. Read it before you go on.';
  return new ServiceError('turn-lost', message);
}
