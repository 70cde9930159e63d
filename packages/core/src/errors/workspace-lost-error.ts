import { WorkspaceError } from './workspace-error.ts';

export type WorkspaceLostDetails = {
  readonly workspaceId: string;
  /** What is gone. */
  readonly reason: string;
};

/** What held the workspace is gone, with its data. A new one is never put in its place unasked. */
export class WorkspaceLostError extends WorkspaceError<'workspace-lost', WorkspaceLostDetails> {
  static readonly code = 'workspace-lost';

  constructor(details: WorkspaceLostDetails, options?: ErrorOptions) {
    super({
      code: WorkspaceLostError.code,
      message: `The workspace ${JSON.stringify(details.workspaceId)} is lost: ${details.reason}. Opening it anew begins with an empty one.`,
      details,
      cause: options?.cause,
    });
  }
}
