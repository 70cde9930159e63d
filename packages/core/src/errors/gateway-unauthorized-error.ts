import { WorkspaceError } from './workspace-error.ts';

export type GatewayUnauthorizedDetails = {
  readonly reason: string;
};

/** The gateway does not know this token, or does not take requests of this kind. */
export class GatewayUnauthorizedError extends WorkspaceError<'gateway-unauthorized', GatewayUnauthorizedDetails> {
  static readonly code = 'gateway-unauthorized';

  constructor(details: GatewayUnauthorizedDetails, options?: ErrorOptions) {
    super({
      code: GatewayUnauthorizedError.code,
      message: `The gateway refused the request: ${details.reason}. Attach to it anew.`,
      details,
      cause: options?.cause,
    });
  }
}
