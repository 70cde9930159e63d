import { WorkspaceError } from './workspace-error.ts';

export type ContainerStartFailedDetails = {
  readonly container: string;
  readonly reason: string;
  /** The end of what the container printed. */
  readonly log?: string | undefined;
};

/** The container of a workspace was made and does not run. */
export class ContainerStartFailedError extends WorkspaceError<'container-start-failed', ContainerStartFailedDetails> {
  static readonly code = 'container-start-failed';

  constructor(details: ContainerStartFailedDetails, options?: ErrorOptions) {
    super({
      code: ContainerStartFailedError.code,
      message: `The container ${details.container} did not start: ${details.reason}${details.log ? `\n${details.log}` : ''}`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
