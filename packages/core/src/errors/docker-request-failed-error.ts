import { WorkspaceError } from './workspace-error.ts';

export type DockerRequestFailedDetails = {
  /** What was asked, such as `create the container aw-standalone-1f0c`. */
  readonly operation: string;
  /** The engine's own words. */
  readonly reason: string;
  /** The HTTP status, where the engine answered at all. */
  readonly status?: number | undefined;
};

/** The Docker Engine refused, or did not answer in time. */
export class DockerRequestFailedError extends WorkspaceError<'docker-request-failed', DockerRequestFailedDetails> {
  static readonly code = 'docker-request-failed';

  constructor(details: DockerRequestFailedDetails, options?: ErrorOptions) {
    const status = details.status === undefined ? '' : ` (HTTP ${details.status})`;
    super({
      code: DockerRequestFailedError.code,
      message: `The Docker Engine could not ${details.operation}${status}: ${details.reason}`,
      details,
      cause: options?.cause,
    });
  }
}
