import { WorkspaceError } from './workspace-error.ts';

export type ManagerClosedDetails = {
  readonly state: 'new' | 'closing' | 'closed';
};

const REASONS: Record<ManagerClosedDetails['state'], string> = {
  new: 'is not initialized. Call initialize(), or make it with open().',
  closing: 'is closing its workspaces and takes no requests meanwhile.',
  closed: 'is closed. Make a new one.',
};

/** The manager does not hand out workspaces now. */
export class ManagerClosedError extends WorkspaceError<'manager-closed', ManagerClosedDetails> {
  static readonly code = 'manager-closed';

  constructor(details: ManagerClosedDetails, options?: ErrorOptions) {
    super({
      code: ManagerClosedError.code,
      message: `The workspace manager ${REASONS[details.state]}`,
      details,
      isRetryable: details.state === 'closing',
      cause: options?.cause,
    });
  }
}
