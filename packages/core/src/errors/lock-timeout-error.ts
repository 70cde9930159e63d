import { WorkspaceError } from './workspace-error.ts';

export type LockTimeoutDetails = {
  readonly path: string;
  readonly waitedMs: number;
};

/** The lock was held by another for too long. */
export class LockTimeoutError extends WorkspaceError<'lock-timeout', LockTimeoutDetails> {
  static readonly code = 'lock-timeout';

  constructor(details: LockTimeoutDetails, options?: ErrorOptions) {
    super({
      code: LockTimeoutError.code,
      message: `The lock ${details.path} was not free within ${details.waitedMs} ms. Another process is working on this workspace; try again.`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
