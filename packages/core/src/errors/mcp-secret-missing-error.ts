import { WorkspaceError } from './workspace-error.ts';

export type MCPSecretMissingDetails = {
  readonly name: string;
  readonly secret: string;
  readonly field: string;
};

/** A `${NAME}` placeholder has no secret behind it. */
export class MCPSecretMissingError extends WorkspaceError<'mcp-secret-missing', MCPSecretMissingDetails> {
  static readonly code = 'mcp-secret-missing';

  constructor(details: MCPSecretMissingDetails, options?: ErrorOptions) {
    super({
      code: MCPSecretMissingError.code,
      message: `The MCP server ${JSON.stringify(details.name)} needs the secret ${details.secret} for ${details.field}. Give it in the secrets option of the workspace.`,
      details,
      cause: options?.cause,
    });
  }
}
