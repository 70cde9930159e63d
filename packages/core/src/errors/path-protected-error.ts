import { WorkspaceError } from './workspace-error.ts';

export type PathProtectedDetails = {
  readonly path: string;
};

/** A tool was asked to write what the workspace keeps for itself. */
export class PathProtectedError extends WorkspaceError<'path-protected', PathProtectedDetails> {
  static readonly code = 'path-protected';

  constructor(details: PathProtectedDetails, options?: ErrorOptions) {
    super({
      code: PathProtectedError.code,
      message: `${details.path} belongs to the workspace itself and is not written by tools.`,
      details,
      cause: options?.cause,
    });
  }
}
