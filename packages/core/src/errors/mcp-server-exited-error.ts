import { WorkspaceError } from './workspace-error.ts';

export type MCPServerExitedDetails = {
  readonly name: string;
  readonly method: string;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly stderr?: string | undefined;
};

/** The server went away in the middle of a call, which may have had its effect and is not repeated. */
export class MCPServerExitedError extends WorkspaceError<'mcp-server-exited', MCPServerExitedDetails> {
  static readonly code = 'mcp-server-exited';

  constructor(details: MCPServerExitedDetails, options?: ErrorOptions) {
    super({
      code: MCPServerExitedError.code,
      message: `The MCP server ${JSON.stringify(details.name)} ended during ${details.method} (${details.signal ?? `exit ${details.exitCode ?? 'unknown'}`}). The next call starts it again.${details.stderr ? `\n${details.stderr}` : ''}`,
      details,
      cause: options?.cause,
    });
  }
}
