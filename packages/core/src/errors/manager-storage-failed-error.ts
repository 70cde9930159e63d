import { WorkspaceError } from './workspace-error.ts';

export type ManagerStorageFailedDetails = {
  /** Such as `redis`. */
  readonly storage: string;
  /** The method of the storage that failed. */
  readonly operation: string;
};

/** What a manager remembers by cannot be reached, or did not answer in time. Nothing was taken for granted. */
export class ManagerStorageFailedError extends WorkspaceError<'manager-storage-failed', ManagerStorageFailedDetails> {
  static readonly code = 'manager-storage-failed';

  constructor(details: ManagerStorageFailedDetails, options?: ErrorOptions) {
    const { cause } = options ?? {};
    const reason = cause instanceof Error ? cause.message.replace(/\.$/, '') : 'it did not answer in time';
    super({
      code: ManagerStorageFailedError.code,
      message: `The ${details.storage} storage of the workspace manager failed at ${details.operation}: ${reason}. Workspaces that are open stay open; try again when it is back.`,
      details,
      isRetryable: true,
      cause,
    });
  }
}
