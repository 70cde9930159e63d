import { WorkspaceError } from './workspace-error.ts';

export type PermissionDeniedDetails = {
  readonly path: string;
  readonly operation: string;
};

/** The operating system refused access. */
export class PermissionDeniedError extends WorkspaceError<'permission-denied', PermissionDeniedDetails> {
  static readonly code = 'permission-denied';

  constructor(details: PermissionDeniedDetails, options?: ErrorOptions) {
    super({
      code: PermissionDeniedError.code,
      message: `No permission to ${details.operation} ${details.path}. Check its owner and mode.`,
      details,
      cause: options?.cause,
    });
  }
}
