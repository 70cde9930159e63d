import { WorkspaceError } from './workspace-error.ts';

export type WorkdirNotSharedDetails = {
  readonly workdir: string;
  /** The engine that was asked. */
  readonly endpoint: string;
};

/** The sandbox engine runs where this machine's directory is not, so that a mount would show another one. */
export class WorkdirNotSharedError extends WorkspaceError<'workdir-not-shared', WorkdirNotSharedDetails> {
  static readonly code = 'workdir-not-shared';

  constructor(details: WorkdirNotSharedDetails, options?: ErrorOptions) {
    super({
      code: WorkdirNotSharedError.code,
      message: `The engine at ${details.endpoint} does not see the directory ${details.workdir} of this machine. Share it with the engine (Docker Desktop: Settings, File sharing), or keep the data in a volume with the volume option.`,
      details,
      cause: options?.cause,
    });
  }
}
