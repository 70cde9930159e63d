import { WorkspaceError } from './workspace-error.ts';

export type FileChangedDetails = {
  readonly path: string;
};

/** A file is not the version that the caller knew. */
export class FileChangedError extends WorkspaceError<'file-changed', FileChangedDetails> {
  static readonly code = 'file-changed';

  constructor(details: FileChangedDetails, options?: ErrorOptions) {
    super({
      code: FileChangedError.code,
      message: `${details.path} changed since it was read. Read it again, then repeat the change.`,
      details,
      cause: options?.cause,
    });
  }
}
