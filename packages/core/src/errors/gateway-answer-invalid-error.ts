import { WorkspaceError } from './workspace-error.ts';

export type GatewayAnswerInvalidDetails = {
  readonly operation: string;
  readonly reason: string;
};

/** The gateway answered with something that is no answer: its sandbox may have put another process in its place. */
export class GatewayAnswerInvalidError extends WorkspaceError<'gateway-answer-invalid', GatewayAnswerInvalidDetails> {
  static readonly code = 'gateway-answer-invalid';

  constructor(details: GatewayAnswerInvalidDetails, options?: ErrorOptions) {
    super({
      code: GatewayAnswerInvalidError.code,
      message: `The answer of the gateway to ${details.operation} cannot be used: ${details.reason}.`,
      details,
      cause: options?.cause,
    });
  }
}
