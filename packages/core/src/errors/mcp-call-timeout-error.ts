import { WorkspaceError } from './workspace-error.ts';

export type MCPCallTimeoutDetails = {
  readonly name: string;
  readonly method: string;
  readonly timeoutMs: number;
};

/** A call did not end within its time. */
export class MCPCallTimeoutError extends WorkspaceError<'mcp-call-timeout', MCPCallTimeoutDetails> {
  static readonly code = 'mcp-call-timeout';

  constructor(details: MCPCallTimeoutDetails, options?: ErrorOptions) {
    super({
      code: MCPCallTimeoutError.code,
      message: `${details.method} of the MCP server ${JSON.stringify(details.name)} took longer than ${details.timeoutMs} ms. Raise execution_timeout if it needs more.`,
      details,
      cause: options?.cause,
    });
  }
}
