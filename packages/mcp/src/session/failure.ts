import {
  MCPClientClosedError,
  MCPConnectFailedError,
  MCPProtocolViolatedError,
  MCPRequestFailedError,
  MCPServerExitedError,
  MCPSessionLostError,
  WorkspaceError,
} from '@agent-workspace/core';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ConnectionEnd, ServerConnection } from '../connection.ts';
import { describeFailure, HttpStatusError, wasNeverSent } from '../http/http-errors.ts';

/** As much of stderr as an error carries, for a model to read too. */
const STDERR_IN_ERROR_BYTES = 4096;

export interface FailureContext {
  /** The server's name. */
  readonly name: string;
  readonly method: string;
  readonly connection: ServerConnection;
}

function stderrOf(connection: ServerConnection): { readonly stderr?: string } {
  const stderr = connection.stderrTail(STDERR_IN_ERROR_BYTES).trimEnd();
  return stderr === '' ? {} : { stderr };
}

/** What became of a request whose connection ended under it. */
export function endedError({ name, method, connection }: FailureContext, end: ConnectionEnd): WorkspaceError {
  switch (end.kind) {
    case 'closed':
      return new MCPClientClosedError({ name, method });
    case 'violated':
      return new MCPProtocolViolatedError({ name, reason: end.reason });
    case 'forgotten':
      return new MCPSessionLostError({ name });
    case 'lost':
      return new MCPServerExitedError({ name, method }, { cause: new Error(end.reason) });
    case 'exited': {
      const { exitCode, signal } = end;
      return new MCPServerExitedError({ name, method, exitCode, signal, ...stderrOf(connection) });
    }
  }
}

/** The SDK puts the code before the server's own words. */
function problemOf(error: McpError): string {
  return error.message.replace(/^MCP error -?\d+: /, '');
}

/** One of our errors for whatever a request to a server rejected with. */
export function requestError(context: FailureContext, error: unknown): WorkspaceError {
  const { name, method, connection } = context;
  if (WorkspaceError.isInstance(error)) return error;
  if (connection.end) return endedError(context, connection.end);
  const cause = { cause: error };
  if (error instanceof McpError) {
    const { code: rpcCode, data } = error;
    return new MCPRequestFailedError({ name, method, rpcCode, data, problem: problemOf(error) }, cause);
  }
  if (error instanceof HttpStatusError) {
    if (error.isSessionUnknown) return new MCPSessionLostError({ name }, cause);
    return new MCPRequestFailedError({ name, method, rpcCode: error.status, problem: error.message }, cause);
  }
  if (wasNeverSent(error)) return new MCPConnectFailedError({ name, reason: describeFailure(error) }, cause);
  return new MCPServerExitedError({ name, method }, cause);
}

/** One of our errors for whatever kept a session from opening. */
export function connectError(context: FailureContext, error: unknown): WorkspaceError {
  if (WorkspaceError.isInstance(error) && !MCPServerExitedError.isInstance(error)) return error;
  const { name, method, connection } = context;
  const { end } = connection;
  const stderr = stderrOf(connection);
  if (end?.kind === 'violated') return new MCPProtocolViolatedError({ name, reason: end.reason });
  if (end?.kind === 'exited') {
    const how =
      end.signal === undefined ? `exited with code ${end.exitCode ?? 'unknown'}` : `was ended by ${end.signal}`;
    const reason = `it ${how} before it was ready.`;
    return new MCPConnectFailedError({ name, reason, exitCode: end.exitCode, ...stderr }, { cause: error });
  }
  const reason =
    error instanceof McpError ? `${method} failed: ${problemOf(error)} (${error.code})` : describeFailure(error);
  return new MCPConnectFailedError({ name, reason, ...stderr }, { cause: error });
}
