import { WorkspaceError } from './workspace-error.ts';

export type E2BRequestFailedDetails = {
  /** What was asked, such as `pause the sandbox i1f0c`. */
  readonly operation: string;
  /** E2B's own words, or what became of the request. */
  readonly reason: string;
  /** The HTTP status, where there was an answer that tells it. */
  readonly status?: number | undefined;
};

/** Statuses that pass. */
const PASSING: ReadonlySet<number | undefined> = new Set([408, 409, 429, 500, 502, 503, 504]);

/** E2B refused, or did not answer in time. */
export class E2BRequestFailedError extends WorkspaceError<'e2b-request-failed', E2BRequestFailedDetails> {
  static readonly code = 'e2b-request-failed';

  constructor(details: E2BRequestFailedDetails, options?: ErrorOptions) {
    const status = details.status === undefined ? '' : ` (HTTP ${details.status})`;
    super({
      code: E2BRequestFailedError.code,
      message: `E2B could not ${details.operation}${status}: ${details.reason}`,
      details,
      isRetryable: details.status === undefined || PASSING.has(details.status),
      cause: options?.cause,
    });
  }
}
