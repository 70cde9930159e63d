import { WorkspaceError } from './workspace-error.ts';

export type GatewayResourceNotFoundDetails = {
  readonly resource: string;
};

/** A route, process or call that the gateway does not have, any more for one. */
export class GatewayResourceNotFoundError extends WorkspaceError<
  'gateway-resource-not-found',
  GatewayResourceNotFoundDetails
> {
  static readonly code = 'gateway-resource-not-found';

  constructor(details: GatewayResourceNotFoundDetails, options?: ErrorOptions) {
    super({
      code: GatewayResourceNotFoundError.code,
      message: `The gateway has no ${details.resource}.`,
      details,
      cause: options?.cause,
    });
  }
}
