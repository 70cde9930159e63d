import { WorkspaceError } from './workspace-error.ts';

export type FileExistsDetails = {
  readonly path: string;
};

/** Something is at a path that had to be free. */
export class FileExistsError extends WorkspaceError<'file-exists', FileExistsDetails> {
  static readonly code = 'file-exists';

  constructor(details: FileExistsDetails, options?: ErrorOptions) {
    super({
      code: FileExistsError.code,
      message: `${details.path} exists already. Choose another name or remove it first.`,
      details,
      cause: options?.cause,
    });
  }
}
