import { WorkspaceError } from './workspace-error.ts';

export type ManagerOptionsInvalidDetails = {
  readonly option: string;
  readonly reason: string;
};

/** An option of a workspace manager cannot be honoured. */
export class ManagerOptionsInvalidError extends WorkspaceError<
  'manager-options-invalid',
  ManagerOptionsInvalidDetails
> {
  static readonly code = 'manager-options-invalid';

  constructor(details: ManagerOptionsInvalidDetails, options?: ErrorOptions) {
    super({
      code: ManagerOptionsInvalidError.code,
      message: `The option ${details.option} of the workspace manager cannot be used: ${details.reason}`,
      details,
      cause: options?.cause,
    });
  }
}
