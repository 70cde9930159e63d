import { WorkspaceError } from './workspace-error.ts';

export type LockLostDetails = {
  readonly path: string;
};

/** The lock was lost while it was held; what was to be written was not. */
export class LockLostError extends WorkspaceError<'lock-lost', LockLostDetails> {
  static readonly code = 'lock-lost';

  constructor(details: LockLostDetails, options?: ErrorOptions) {
    super({
      code: LockLostError.code,
      message: `The lock ${details.path} was taken over by another process, and nothing was written. Try again.`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
