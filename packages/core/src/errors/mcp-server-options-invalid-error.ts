import { WorkspaceError } from './workspace-error.ts';

export type MCPServerOptionsInvalidDetails = {
  readonly option: string;
  /** What is wrong with it, as a sentence that says what to give instead. */
  readonly reason: string;
};

/** An option of the MCP server that serves a workspace has a value that means nothing, or is not safe. */
export class MCPServerOptionsInvalidError extends WorkspaceError<
  'mcp-server-options-invalid',
  MCPServerOptionsInvalidDetails
> {
  static readonly code = 'mcp-server-options-invalid';

  constructor(details: MCPServerOptionsInvalidDetails, options?: ErrorOptions) {
    super({
      code: MCPServerOptionsInvalidError.code,
      message: `The option ${details.option} cannot be used: ${details.reason}`,
      details,
      cause: options?.cause,
    });
  }
}
