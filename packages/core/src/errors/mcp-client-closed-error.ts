import { WorkspaceError } from './workspace-error.ts';

export type MCPClientClosedDetails = {
  readonly name: string;
  readonly method: string;
};

/** The session to the server was closed by its owner, before the call or while it ran. */
export class MCPClientClosedError extends WorkspaceError<'mcp-client-closed', MCPClientClosedDetails> {
  static readonly code = 'mcp-client-closed';

  constructor(details: MCPClientClosedDetails, options?: ErrorOptions) {
    super({
      code: MCPClientClosedError.code,
      message: `The session to the MCP server ${JSON.stringify(details.name)} is closed, so ${details.method} has no answer. List the tools again for a session that is open.`,
      details,
      cause: options?.cause,
    });
  }
}
