import { WorkspaceError } from './workspace-error.ts';

export type MCPConnectFailedDetails = {
  readonly name: string;
  readonly reason: string;
  readonly exitCode?: number | undefined;
  readonly stderr?: string | undefined;
  /** When the next attempt is made, in ms since the epoch: calls before that fail at once. */
  readonly retryAt?: number | undefined;
};

/** A server did not start, did not answer in time, or answered with an error. */
export class MCPConnectFailedError extends WorkspaceError<'mcp-connect-failed', MCPConnectFailedDetails> {
  static readonly code = 'mcp-connect-failed';

  constructor(details: MCPConnectFailedDetails, options?: ErrorOptions) {
    super({
      code: MCPConnectFailedError.code,
      message: `Could not connect to the MCP server ${JSON.stringify(details.name)}: ${details.reason}${details.stderr ? `\n${details.stderr}` : ''}`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
