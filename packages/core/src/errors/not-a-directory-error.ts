import { WorkspaceError } from './workspace-error.ts';

export type NotADirectoryDetails = {
  readonly path: string;
};

/** A directory was needed. */
export class NotADirectoryError extends WorkspaceError<'not-a-directory', NotADirectoryDetails> {
  static readonly code = 'not-a-directory';

  constructor(details: NotADirectoryDetails, options?: ErrorOptions) {
    super({
      code: NotADirectoryError.code,
      message: `${details.path} is not a directory.`,
      details,
      cause: options?.cause,
    });
  }
}
