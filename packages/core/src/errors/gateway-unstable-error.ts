import { WorkspaceError } from './workspace-error.ts';

export type GatewayUnstableDetails = {
  readonly restarts: number;
  readonly withinMs: number;
};

/** The gateway died too often to be started once more. */
export class GatewayUnstableError extends WorkspaceError<'gateway-unstable', GatewayUnstableDetails> {
  static readonly code = 'gateway-unstable';

  constructor(details: GatewayUnstableDetails, options?: ErrorOptions) {
    super({
      code: GatewayUnstableError.code,
      message: `The gateway was started ${details.restarts} times within ${details.withinMs} ms and died each time. Look at its log in the sandbox, then open the workspace again.`,
      details,
      cause: options?.cause,
    });
  }
}
