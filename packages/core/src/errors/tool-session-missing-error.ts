import { WorkspaceError } from './workspace-error.ts';

export type ToolSessionMissingDetails = {
  readonly tool: string;
};

/** A tool works in the workspace, and the toolkit that runs it was given no session. */
export class ToolSessionMissingError extends WorkspaceError<'tool-session-missing', ToolSessionMissingDetails> {
  static readonly code = 'tool-session-missing';

  constructor(details: ToolSessionMissingDetails, options?: ErrorOptions) {
    super({
      code: ToolSessionMissingError.code,
      message:
        `The tool ${details.tool} works in a workspace, and was called without one. ` +
        'Give its toolkit the session: new Toolkit({ session, … }).',
      details,
      cause: options?.cause,
    });
  }
}
