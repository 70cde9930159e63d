import { WorkspaceError } from './workspace-error.ts';

export type FileNotFoundDetails = {
  readonly path: string;
};

/** Nothing is at a path. */
export class FileNotFoundError extends WorkspaceError<'file-not-found', FileNotFoundDetails> {
  static readonly code = 'file-not-found';

  constructor(details: FileNotFoundDetails, options?: ErrorOptions) {
    super({
      code: FileNotFoundError.code,
      message: `There is nothing at ${details.path}. Check the path; Glob lists what is there.`,
      details,
      cause: options?.cause,
    });
  }
}
