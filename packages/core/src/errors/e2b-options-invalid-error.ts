import { WorkspaceError } from './workspace-error.ts';

export type E2BOptionsInvalidDetails = {
  readonly option: string;
  readonly reason: string;
};

/** An option of an E2B workspace means nothing, or contradicts another. */
export class E2BOptionsInvalidError extends WorkspaceError<'e2b-options-invalid', E2BOptionsInvalidDetails> {
  static readonly code = 'e2b-options-invalid';

  constructor(details: E2BOptionsInvalidDetails, options?: ErrorOptions) {
    super({
      code: E2BOptionsInvalidError.code,
      message: `The option ${details.option} cannot be used: ${details.reason}`,
      details,
      cause: options?.cause,
    });
  }
}
