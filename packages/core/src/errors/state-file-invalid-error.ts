import { WorkspaceError } from './workspace-error.ts';

export type StateFileInvalidDetails = {
  readonly path: string;
  readonly reason: string;
};

/** A file that the workspace keeps does not parse, or is no regular file. It is never overwritten. */
export class StateFileInvalidError extends WorkspaceError<'state-file-invalid', StateFileInvalidDetails> {
  static readonly code = 'state-file-invalid';

  constructor(details: StateFileInvalidDetails, options?: ErrorOptions) {
    super({
      code: StateFileInvalidError.code,
      message: `${details.path} cannot be used: ${details.reason}. Repair or remove it; it is left as it is.`,
      details,
      cause: options?.cause,
    });
  }
}
