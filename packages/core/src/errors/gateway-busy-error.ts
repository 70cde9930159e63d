import { WorkspaceError } from './workspace-error.ts';

export type GatewayBusyDetails = {
  readonly resource: string;
  readonly limit: number;
};

/** More was asked for at once than the gateway does. */
export class GatewayBusyError extends WorkspaceError<'gateway-busy', GatewayBusyDetails> {
  static readonly code = 'gateway-busy';

  constructor(details: GatewayBusyDetails, options?: ErrorOptions) {
    super({
      code: GatewayBusyError.code,
      message: `${details.resource} is at its limit of ${details.limit} at once. Try again when something has ended.`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
