import { WorkspaceError } from './workspace-error.ts';

export type MCPProtocolViolatedDetails = {
  readonly name: string;
  readonly reason: string;
};

/** A message too long, pages without end, an answer that is no answer. */
export class MCPProtocolViolatedError extends WorkspaceError<'mcp-protocol-violated', MCPProtocolViolatedDetails> {
  static readonly code = 'mcp-protocol-violated';

  constructor(details: MCPProtocolViolatedDetails, options?: ErrorOptions) {
    super({
      code: MCPProtocolViolatedError.code,
      message: `The MCP server ${JSON.stringify(details.name)} broke the protocol: ${details.reason}.`,
      details,
      cause: options?.cause,
    });
  }
}
