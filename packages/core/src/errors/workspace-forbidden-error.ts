import { WorkspaceError } from './workspace-error.ts';

export type WorkspaceForbiddenDetails = {
  readonly workspaceId: string;
  /** `owned-by-another`, or nobody is known to own it. */
  readonly reason: 'owned-by-another' | 'owner-unknown';
};

const REASONS: Record<WorkspaceForbiddenDetails['reason'], string> = {
  'owned-by-another': 'it belongs to another user. Leave workspaceId out to get your own.',
  'owner-unknown':
    'nothing says whose it is. Leave workspaceId out, bind a storage that records owners, or set trustWorkspaceIds where every id comes from your own code.',
};

/** An explicit id selects a workspace and authorises nobody. */
export class WorkspaceForbiddenError extends WorkspaceError<'workspace-forbidden', WorkspaceForbiddenDetails> {
  static readonly code = 'workspace-forbidden';

  constructor(details: WorkspaceForbiddenDetails, options?: ErrorOptions) {
    super({
      code: WorkspaceForbiddenError.code,
      message: `Workspace ${JSON.stringify(details.workspaceId)} cannot be had: ${REASONS[details.reason]}`,
      details,
      cause: options?.cause,
    });
  }
}
