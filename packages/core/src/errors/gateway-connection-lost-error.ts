import { WorkspaceError } from './workspace-error.ts';

export type GatewayConnectionLostDetails = {
  readonly operation: string;
  readonly reason: string;
};

/** The connection broke in the middle of a request, which may have had its effect and is not repeated. */
export class GatewayConnectionLostError extends WorkspaceError<
  'gateway-connection-lost',
  GatewayConnectionLostDetails
> {
  static readonly code = 'gateway-connection-lost';

  constructor(details: GatewayConnectionLostDetails, options?: ErrorOptions) {
    super({
      code: GatewayConnectionLostError.code,
      message: `The connection to the gateway broke during ${details.operation}: ${details.reason}. It may or may not have been done; look before repeating it.`,
      details,
      cause: options?.cause,
    });
  }
}
