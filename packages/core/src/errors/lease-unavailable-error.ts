import { WorkspaceError } from './workspace-error.ts';

export type LeaseUnavailableDetails = {
  readonly workspaceId: string;
  readonly waitedMs: number;
};

/** Another replica builds, evicts or destroys the workspace, and took longer than we wait. */
export class LeaseUnavailableError extends WorkspaceError<'lease-unavailable', LeaseUnavailableDetails> {
  static readonly code = 'lease-unavailable';

  constructor(details: LeaseUnavailableDetails, options?: ErrorOptions) {
    super({
      code: LeaseUnavailableError.code,
      message: `Another replica has been at work on workspace ${JSON.stringify(details.workspaceId)} for ${details.waitedMs} ms. Try again.`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
