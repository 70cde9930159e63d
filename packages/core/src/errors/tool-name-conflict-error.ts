import { WorkspaceError } from './workspace-error.ts';

export type ToolNameConflictDetails = {
  readonly name: string;
  /** Where the two come from, such as `tools` or `MCP server "files"`. */
  readonly sources: readonly [string, string];
};

/** Two tools have the same name, and a model could not tell which one it calls. */
export class ToolNameConflictError extends WorkspaceError<'tool-name-conflict', ToolNameConflictDetails> {
  static readonly code = 'tool-name-conflict';

  constructor(details: ToolNameConflictDetails, options?: ErrorOptions) {
    super({
      code: ToolNameConflictError.code,
      message:
        `Two tools are called ${JSON.stringify(details.name)}: one from ${details.sources[0]}, ` +
        `one from ${details.sources[1]}. Rename one of them or leave one out.`,
      details,
      cause: options?.cause,
    });
  }
}
