import { WorkspaceError } from './workspace-error.ts';

export type MCPSessionLostDetails = {
  readonly name: string;
};

/** A stateful session ended and its state is gone. */
export class MCPSessionLostError extends WorkspaceError<'mcp-session-lost', MCPSessionLostDetails> {
  static readonly code = 'mcp-session-lost';

  constructor(details: MCPSessionLostDetails, options?: ErrorOptions) {
    super({
      code: MCPSessionLostError.code,
      message: `The MCP server ${JSON.stringify(details.name)} lost its session, and with it what the server remembered. The next call starts a new one.`,
      details,
      cause: options?.cause,
    });
  }
}
