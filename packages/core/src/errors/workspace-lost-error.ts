import { WorkspaceError } from './workspace-error.ts';

export type WorkspaceLostDetails = {
  readonly workspaceId: string;
};

/** What a workspace ran in is gone, and its data with it. */
export class WorkspaceLostError extends WorkspaceError<'workspace-lost', WorkspaceLostDetails> {
  static readonly code = 'workspace-lost';

  constructor(details: WorkspaceLostDetails, options?: ErrorOptions) {
    super({
      code: WorkspaceLostError.code,
      message: `Workspace ${JSON.stringify(details.workspaceId)} is lost: what it ran in has gone, and its files were nowhere else. Call destroy() with its id to begin anew under it.`,
      details,
      cause: options?.cause,
    });
  }
}
