import { WorkspaceError } from './workspace-error.ts';

export type WorkspaceNotInitializedDetails = {
  readonly method: string;
};

/** A method was called before `initialize()`. */
export class WorkspaceNotInitializedError extends WorkspaceError<
  'workspace-not-initialized',
  WorkspaceNotInitializedDetails
> {
  static readonly code = 'workspace-not-initialized';

  constructor(details: WorkspaceNotInitializedDetails, options?: ErrorOptions) {
    super({
      code: WorkspaceNotInitializedError.code,
      message: `Call initialize() before ${details.method}(): nothing starts implicitly.`,
      details,
      cause: options?.cause,
    });
  }
}
