import { WorkspaceError } from './workspace-error.ts';

export type IOFailedDetails = {
  readonly path: string;
  readonly operation: string;
  readonly errno: string;
};

/** Any other failure of the file system, a full disk for one. */
export class IOFailedError extends WorkspaceError<'io-failed', IOFailedDetails> {
  static readonly code = 'io-failed';

  constructor(details: IOFailedDetails, options?: ErrorOptions) {
    super({
      code: IOFailedError.code,
      message: `Could not ${details.operation} ${details.path}: ${details.errno}.`,
      details,
      cause: options?.cause,
    });
  }
}
