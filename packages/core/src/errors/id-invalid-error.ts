import { WorkspaceError } from './workspace-error.ts';

export type IdInvalidDetails = {
  readonly id: string;
  readonly reason: string;
};

/** An id from outside cannot be used. */
export class IdInvalidError extends WorkspaceError<'id-invalid', IdInvalidDetails> {
  static readonly code = 'id-invalid';

  constructor(details: IdInvalidDetails, options?: ErrorOptions) {
    super({
      code: IdInvalidError.code,
      message: `${JSON.stringify(details.id)} cannot be an id: ${details.reason}.`,
      details,
      cause: options?.cause,
    });
  }
}
