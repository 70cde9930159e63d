import { WorkspaceError } from './workspace-error.ts';

export type GatewayRequestInvalidDetails = {
  readonly operation: string;
  readonly reason: string;
};

/** The gateway did not understand a request. */
export class GatewayRequestInvalidError extends WorkspaceError<
  'gateway-request-invalid',
  GatewayRequestInvalidDetails
> {
  static readonly code = 'gateway-request-invalid';

  constructor(details: GatewayRequestInvalidDetails, options?: ErrorOptions) {
    super({
      code: GatewayRequestInvalidError.code,
      message: `The gateway cannot do ${details.operation}: ${details.reason}.`,
      details,
      cause: options?.cause,
    });
  }
}
