import { WorkspaceError } from './workspace-error.ts';

export type MessageInvalidDetails = {
  readonly reason: string;
};

/** A message or block does not have the required form. */
export class MessageInvalidError extends WorkspaceError<'message-invalid', MessageInvalidDetails> {
  static readonly code = 'message-invalid';

  constructor(details: MessageInvalidDetails, options?: ErrorOptions) {
    super({
      code: MessageInvalidError.code,
      message: `The message is not valid: ${details.reason}.`,
      details,
      cause: options?.cause,
    });
  }
}
