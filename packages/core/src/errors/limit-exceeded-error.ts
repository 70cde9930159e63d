import { WorkspaceError } from './workspace-error.ts';

export type LimitExceededDetails = {
  readonly what: string;
  readonly limit: number;
  readonly actual?: number | undefined;
};

/** A cap on size, number or depth was passed. */
export class LimitExceededError extends WorkspaceError<'limit-exceeded', LimitExceededDetails> {
  static readonly code = 'limit-exceeded';

  constructor(details: LimitExceededDetails, options?: ErrorOptions) {
    super({
      code: LimitExceededError.code,
      message: `${details.what} is over the limit of ${details.limit}${details.actual === undefined ? '' : ` (${details.actual})`}.`,
      details,
      cause: options?.cause,
    });
  }
}
