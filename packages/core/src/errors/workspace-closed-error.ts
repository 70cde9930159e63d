import { WorkspaceError } from './workspace-error.ts';

export type WorkspaceClosedDetails = {
  readonly workspaceId: string;
};

/** A method was called after `close()`, or `close()` came while it ran. */
export class WorkspaceClosedError extends WorkspaceError<'workspace-closed', WorkspaceClosedDetails> {
  static readonly code = 'workspace-closed';

  constructor(details: WorkspaceClosedDetails, options?: ErrorOptions) {
    super({
      code: WorkspaceClosedError.code,
      message: `Workspace ${details.workspaceId} is closed. Open it again to go on.`,
      details,
      cause: options?.cause,
    });
  }
}
