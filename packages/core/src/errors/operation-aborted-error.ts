import { WorkspaceError } from './workspace-error.ts';

export type OperationAbortedDetails = {
  readonly operation: string;
};

/** The caller aborted a file or search operation. */
export class OperationAbortedError extends WorkspaceError<'operation-aborted', OperationAbortedDetails> {
  static readonly code = 'operation-aborted';

  constructor(details: OperationAbortedDetails, options?: ErrorOptions) {
    super({
      code: OperationAbortedError.code,
      message: `${details.operation} was aborted by its caller.`,
      details,
      cause: options?.cause,
    });
  }
}
