import { WorkspaceError } from './workspace-error.ts';

export type MCPToolNotFoundDetails = {
  readonly name: string;
  readonly tool: string;
};

/** The server has no such tool, or the declaration hides it. */
export class MCPToolNotFoundError extends WorkspaceError<'mcp-tool-not-found', MCPToolNotFoundDetails> {
  static readonly code = 'mcp-tool-not-found';

  constructor(details: MCPToolNotFoundDetails, options?: ErrorOptions) {
    super({
      code: MCPToolNotFoundError.code,
      message: `The MCP server ${JSON.stringify(details.name)} has no tool ${JSON.stringify(details.tool)}, or it is disabled.`,
      details,
      cause: options?.cause,
    });
  }
}
