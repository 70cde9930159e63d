import { WorkspaceError } from './workspace-error.ts';

export type GatewayFailedDetails = {
  readonly problem: string;
};

/** The gateway has a fault of its own. */
export class GatewayFailedError extends WorkspaceError<'gateway-failed', GatewayFailedDetails> {
  static readonly code = 'gateway-failed';

  constructor(details: GatewayFailedDetails, options?: ErrorOptions) {
    super({
      code: GatewayFailedError.code,
      message: `The gateway failed: ${details.problem}.`,
      details,
      cause: options?.cause,
    });
  }
}
