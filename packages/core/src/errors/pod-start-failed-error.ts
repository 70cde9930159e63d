import { WorkspaceError } from './workspace-error.ts';

export type PodStartFailedDetails = {
  /** `namespace/name`. */
  readonly pod: string;
  /** The cluster's own word for it, such as `ImagePullBackOff`, `Unschedulable` or `OOMKilled`. */
  readonly reason: string;
  /** What the cluster says about it, with its last events where it was waited for in vain. */
  readonly explanation: string;
};

/** What may be another way a moment later, without anybody's doing. */
const PASSING: ReadonlySet<string> = new Set([
  'Unschedulable',
  'Timeout',
  'Evicted',
  'Deleted',
  'CreateContainerError',
  'RunContainerError',
]);

/** The Pod of a workspace was made and does not run. */
export class PodStartFailedError extends WorkspaceError<'pod-start-failed', PodStartFailedDetails> {
  static readonly code = 'pod-start-failed';

  constructor(details: PodStartFailedDetails, options?: ErrorOptions) {
    super({
      code: PodStartFailedError.code,
      message: `The Pod ${details.pod} did not start (${details.reason}): ${details.explanation}`,
      details,
      isRetryable: PASSING.has(details.reason),
      cause: options?.cause,
    });
  }
}
