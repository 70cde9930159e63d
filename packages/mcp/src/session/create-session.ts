import { resolve } from 'node:path';
import { baseEnvironment, type Logger, type McpDeclaration, type WorkspaceError } from '@agent-workspace/core';
import type { ServerConnection } from '../connection.ts';
import { HttpConnection } from '../http/http-connection.ts';
import { resolveSecrets } from '../secrets.ts';
import { StdioConnection } from '../stdio/stdio-connection.ts';
import { MCPSession } from './mcp-session.ts';

export interface CreateSessionOptions {
  readonly declaration: McpDeclaration;
  /** Where a stdio server runs, and what a relative `cwd` of its declaration is relative to. */
  readonly cwd: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly logger: Logger;
  readonly onToolsChanged: () => void;
  /** Called once, when the session's connection ends for whatever reason. */
  readonly onEnd: (error: WorkspaceError) => void;
}

/**
 * A session that is about to open: nothing has been started yet.
 *
 * @throws `mcp-secret-missing`
 */
export function createSession(options: CreateSessionOptions): MCPSession {
  const { declaration, secrets, logger } = options;
  const { name } = declaration;
  let connection: ServerConnection;
  if (declaration.transport === 'stdio') {
    const env = resolveSecrets({ name, field: 'env', values: declaration.env, secrets });
    connection = new StdioConnection({
      command: declaration.command,
      args: declaration.args,
      cwd: resolve(options.cwd, declaration.cwd ?? '.'),
      env: { ...baseEnvironment(process.env), ...env },
      logger,
    });
  } else {
    connection = new HttpConnection({
      declaration,
      headers: resolveSecrets({ name, field: 'headers', values: declaration.headers, secrets }),
      connectTimeoutMs: options.connectTimeoutMs,
      logger,
      onResponseOver: (token, isResumable) => session.responseOver(token, isResumable),
      isAwaited: (lastEventId) => session.isAwaited(lastEventId),
    });
  }
  const session: MCPSession = new MCPSession(connection, {
    name,
    logger,
    connectTimeoutMs: options.connectTimeoutMs,
    onToolsChanged: options.onToolsChanged,
    onEnd: options.onEnd,
  });
  return session;
}
