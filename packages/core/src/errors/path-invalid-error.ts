import { WorkspaceError } from './workspace-error.ts';

export type PathInvalidDetails = {
  readonly path: string;
  readonly reason: string;
};

/** A path that no file can have, or a loop of links. */
export class PathInvalidError extends WorkspaceError<'path-invalid', PathInvalidDetails> {
  static readonly code = 'path-invalid';

  constructor(details: PathInvalidDetails, options?: ErrorOptions) {
    super({
      code: PathInvalidError.code,
      message: `${JSON.stringify(details.path)} is not a usable path: ${details.reason}.`,
      details,
      cause: options?.cause,
    });
  }
}
