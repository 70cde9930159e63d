import { WorkspaceError } from './workspace-error.ts';

export type MCPRequestFailedDetails = {
  readonly name: string;
  readonly method: string;
  readonly rpcCode: number;
  readonly data?: unknown;
  readonly problem: string;
};

/** The server answered with a JSON-RPC error. */
export class MCPRequestFailedError extends WorkspaceError<'mcp-request-failed', MCPRequestFailedDetails> {
  static readonly code = 'mcp-request-failed';

  constructor(details: MCPRequestFailedDetails, options?: ErrorOptions) {
    super({
      code: MCPRequestFailedError.code,
      message: `${details.method} of the MCP server ${JSON.stringify(details.name)} failed: ${details.problem} (${details.rpcCode})`,
      details,
      cause: options?.cause,
    });
  }
}
