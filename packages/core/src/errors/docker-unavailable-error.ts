import { WorkspaceError } from './workspace-error.ts';

export type DockerUnavailableDetails = {
  /** Where an engine was looked for. */
  readonly endpoint: string;
  readonly reason: string;
};

const ADVICE =
  'Start it (Docker Desktop, or `systemctl start docker`), install one (https://docs.docker.com/engine/install), ' +
  'or name another with DOCKER_HOST, `docker context use` or the dockerHost option.';

/** No Docker Engine answers. A `docker` client on the PATH says nothing about one. */
export class DockerUnavailableError extends WorkspaceError<'docker-unavailable', DockerUnavailableDetails> {
  static readonly code = 'docker-unavailable';

  constructor(details: DockerUnavailableDetails, options?: ErrorOptions) {
    super({
      code: DockerUnavailableError.code,
      message: `No Docker Engine answers at ${details.endpoint}: ${details.reason}. ${ADVICE}`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
