import { WorkspaceError } from './workspace-error.ts';

export type GatewayUnreachableDetails = {
  readonly operation: string;
  readonly reason: string;
};

/** The gateway could not be connected to, so nothing was asked of it. */
export class GatewayUnreachableError extends WorkspaceError<'gateway-unreachable', GatewayUnreachableDetails> {
  static readonly code = 'gateway-unreachable';

  constructor(details: GatewayUnreachableDetails, options?: ErrorOptions) {
    super({
      code: GatewayUnreachableError.code,
      message: `The gateway could not be reached for ${details.operation}: ${details.reason}. Nothing was done; try again.`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
