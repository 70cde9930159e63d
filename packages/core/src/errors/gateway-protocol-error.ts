import { WorkspaceError } from './workspace-error.ts';

export type GatewayProtocolDetails = {
  readonly remoteCode: string;
  readonly status: number;
  readonly problem: string;
  readonly remoteDetails?: Readonly<Record<string, unknown>> | undefined;
};

/** The gateway gave an error that this version does not know. */
export class GatewayProtocolError extends WorkspaceError<'gateway-protocol-error', GatewayProtocolDetails> {
  static readonly code = 'gateway-protocol-error';

  constructor(details: GatewayProtocolDetails, options?: ErrorOptions) {
    super({
      code: GatewayProtocolError.code,
      message: `The gateway answered ${details.status} (${details.remoteCode}): ${details.problem}`,
      details,
      cause: options?.cause,
    });
  }
}
