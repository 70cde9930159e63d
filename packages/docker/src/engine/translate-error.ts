import { DockerRequestFailedError, DockerUnavailableError, WorkspaceError } from '@agent-workspace/core';

/** Why a connection to an engine does not come about, by the system's own code. */
const CONNECT_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such socket',
  ECONNREFUSED: 'nothing listens there',
  EACCES: 'this user may not use the socket; add it to the group "docker"',
  EPERM: 'this user may not use the socket; add it to the group "docker"',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host did not answer in time',
};

/** What docker-modem rejects with. */
interface ModemError {
  readonly message: string;
  readonly statusCode?: number | undefined;
  readonly json?: { readonly message?: string | undefined } | null | undefined;
  readonly code?: string | undefined;
  readonly syscall?: string | undefined;
}

/** The one place where the engine's and the client's errors become ours. */
export function translateEngineError(error: unknown, operation: string, endpoint: string): WorkspaceError {
  if (WorkspaceError.isInstance(error)) return error;
  const { message, statusCode, json, code, syscall } = error as ModemError;
  if (statusCode !== undefined) {
    const reason = json?.message ?? message.replace(/^\(HTTP code \d+\) /, '').trim();
    return new DockerRequestFailedError({ operation, reason, status: statusCode }, { cause: error });
  }
  const problem = CONNECT_PROBLEMS[code ?? ''];
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo';
  if (problem !== undefined && isConnecting) {
    return new DockerUnavailableError({ endpoint, reason: problem }, { cause: error });
  }
  return new DockerRequestFailedError({ operation, reason: message }, { cause: error });
}

/** Whether the engine answered with this HTTP status. */
export function hasStatus(error: unknown, status: number): boolean {
  return DockerRequestFailedError.isInstance(error) && error.details.status === status;
}
