import { WorkspaceError } from './workspace-error.ts';

export type DockerOptionsInvalidDetails = {
  readonly option: string;
  /** What is wrong with it, as a sentence that says what to give instead. */
  readonly reason: string;
};

/** An option of a Docker workspace has a value that means nothing, or contradicts another. */
export class DockerOptionsInvalidError extends WorkspaceError<'docker-options-invalid', DockerOptionsInvalidDetails> {
  static readonly code = 'docker-options-invalid';

  constructor(details: DockerOptionsInvalidDetails, options?: ErrorOptions) {
    super({
      code: DockerOptionsInvalidError.code,
      message: `The option ${details.option} cannot be used: ${details.reason}`,
      details,
      cause: options?.cause,
    });
  }
}
