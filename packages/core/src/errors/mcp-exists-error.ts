import { WorkspaceError } from './workspace-error.ts';

export type MCPExistsDetails = {
  readonly name: string;
};

/** The name is taken by a different declaration. */
export class MCPExistsError extends WorkspaceError<'mcp-exists', MCPExistsDetails> {
  static readonly code = 'mcp-exists';

  constructor(details: MCPExistsDetails, options?: ErrorOptions) {
    super({
      code: MCPExistsError.code,
      message: `An MCP server named ${JSON.stringify(details.name)} with another configuration is registered already. Remove it first.`,
      details,
      cause: options?.cause,
    });
  }
}
