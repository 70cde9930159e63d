import { WorkspaceError } from './workspace-error.ts';

export type PatternInvalidDetails = {
  readonly pattern: string;
  readonly reason: string;
};

/** A glob or regular expression does not parse. */
export class PatternInvalidError extends WorkspaceError<'pattern-invalid', PatternInvalidDetails> {
  static readonly code = 'pattern-invalid';

  constructor(details: PatternInvalidDetails, options?: ErrorOptions) {
    super({
      code: PatternInvalidError.code,
      message: `The pattern ${JSON.stringify(details.pattern)} is not valid: ${details.reason}`,
      details,
      cause: options?.cause,
    });
  }
}
