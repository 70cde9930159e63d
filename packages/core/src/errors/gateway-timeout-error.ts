import { WorkspaceError } from './workspace-error.ts';

export type GatewayTimeoutDetails = {
  readonly operation: string;
  readonly timeoutMs: number;
};

/** The gateway said nothing for too long. What it was asked for may have been done. */
export class GatewayTimeoutError extends WorkspaceError<'gateway-timeout', GatewayTimeoutDetails> {
  static readonly code = 'gateway-timeout';

  constructor(details: GatewayTimeoutDetails, options?: ErrorOptions) {
    super({
      code: GatewayTimeoutError.code,
      message: `The gateway gave no answer to ${details.operation} within ${details.timeoutMs} ms. It may be stopped, paused or overloaded.`,
      details,
      cause: options?.cause,
    });
  }
}
