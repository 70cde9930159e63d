import { WorkspaceError } from './workspace-error.ts';

export type GatewayStartFailedDetails = {
  readonly reason: string;
  /** What it wrote to stderr. */
  readonly output?: string | undefined;
};

/** The gateway did not start in its sandbox. */
export class GatewayStartFailedError extends WorkspaceError<'gateway-start-failed', GatewayStartFailedDetails> {
  static readonly code = 'gateway-start-failed';

  constructor(details: GatewayStartFailedDetails, options?: ErrorOptions) {
    super({
      code: GatewayStartFailedError.code,
      message: `The gateway did not start: ${details.reason}${details.output ? `\n${details.output}` : ''}`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
