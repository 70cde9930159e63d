import { WorkspaceError } from './workspace-error.ts';

export type MCPCallCancelledDetails = {
  readonly name: string;
  readonly method: string;
};

/** The caller aborted the call. */
export class MCPCallCancelledError extends WorkspaceError<'mcp-call-cancelled', MCPCallCancelledDetails> {
  static readonly code = 'mcp-call-cancelled';

  constructor(details: MCPCallCancelledDetails, options?: ErrorOptions) {
    super({
      code: MCPCallCancelledError.code,
      message: `${details.method} of the MCP server ${JSON.stringify(details.name)} was cancelled by its caller.`,
      details,
      cause: options?.cause,
    });
  }
}
