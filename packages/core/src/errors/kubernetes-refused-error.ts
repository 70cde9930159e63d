import { WorkspaceError } from './workspace-error.ts';

export type KubernetesRefusedDetails = {
  /** What was asked, such as `create the Pod aw-standalone-1f0c`. */
  readonly operation: string;
  /** The cluster's own words. */
  readonly reason: string;
  /** The HTTP status of its answer. */
  readonly status: number;
  /** The cluster's own word for it, such as `Forbidden` or `AlreadyExists`. */
  readonly statusReason?: string | undefined;
};

/** Statuses that pass. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);

/** The cluster answered, and did not do it: forbidden, over a quota, invalid, not there. */
export class KubernetesRefusedError extends WorkspaceError<'kubernetes-refused', KubernetesRefusedDetails> {
  static readonly code = 'kubernetes-refused';

  constructor(details: KubernetesRefusedDetails, options?: ErrorOptions) {
    super({
      code: KubernetesRefusedError.code,
      message: `The cluster did not ${details.operation} (HTTP ${details.status}): ${details.reason}`,
      details,
      isRetryable: PASSING.has(details.status),
      cause: options?.cause,
    });
  }
}
