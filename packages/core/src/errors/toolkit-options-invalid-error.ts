import { WorkspaceError } from './workspace-error.ts';

export type ToolkitOptionsInvalidDetails = {
  readonly option: string;
  /** What is wrong with it, as a sentence that says what to give instead. */
  readonly reason: string;
};

/** An option of a toolkit has a value that means nothing, or contradicts another. */
export class ToolkitOptionsInvalidError extends WorkspaceError<
  'toolkit-options-invalid',
  ToolkitOptionsInvalidDetails
> {
  static readonly code = 'toolkit-options-invalid';

  constructor(details: ToolkitOptionsInvalidDetails, options?: ErrorOptions) {
    super({
      code: ToolkitOptionsInvalidError.code,
      message: `The option ${details.option} cannot be used: ${details.reason}`,
      details,
      cause: options?.cause,
    });
  }
}
