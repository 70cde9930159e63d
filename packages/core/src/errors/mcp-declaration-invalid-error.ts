import { WorkspaceError } from './workspace-error.ts';

export type MCPDeclarationInvalidDetails = {
  readonly name: string;
  readonly reason: string;
};

/** A declaration does not have the required form. */
export class MCPDeclarationInvalidError extends WorkspaceError<
  'mcp-declaration-invalid',
  MCPDeclarationInvalidDetails
> {
  static readonly code = 'mcp-declaration-invalid';

  constructor(details: MCPDeclarationInvalidDetails, options?: ErrorOptions) {
    super({
      code: MCPDeclarationInvalidError.code,
      message: `The MCP declaration ${JSON.stringify(details.name)} is not valid: ${details.reason}`,
      details,
      cause: options?.cause,
    });
  }
}
