import { WorkspaceError } from './workspace-error.ts';

export type SessionMismatchDetails = {
  readonly boundSessionId: string;
  readonly givenSessionId: string;
};

/** A session object was given the id of another session. */
export class SessionMismatchError extends WorkspaceError<'session-mismatch', SessionMismatchDetails> {
  static readonly code = 'session-mismatch';

  constructor(details: SessionMismatchDetails, options?: ErrorOptions) {
    super({
      code: SessionMismatchError.code,
      message: `This session is bound to ${JSON.stringify(details.boundSessionId)} and does not take ${JSON.stringify(details.givenSessionId)}. Use workspace.session() for the other one.`,
      details,
      cause: options?.cause,
    });
  }
}
