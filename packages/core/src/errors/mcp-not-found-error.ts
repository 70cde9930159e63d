import { WorkspaceError } from './workspace-error.ts';

export type MCPNotFoundDetails = {
  readonly name: string;
};

/** No MCP server has that name. */
export class MCPNotFoundError extends WorkspaceError<'mcp-not-found', MCPNotFoundDetails> {
  static readonly code = 'mcp-not-found';

  constructor(details: MCPNotFoundDetails, options?: ErrorOptions) {
    super({
      code: MCPNotFoundError.code,
      message: `There is no MCP server named ${JSON.stringify(details.name)}. listMcps() names those that are there.`,
      details,
      cause: options?.cause,
    });
  }
}
