import { WorkspaceError } from './workspace-error.ts';

export type WorkdirNotWritableDetails = {
  readonly workdir: string;
  /** Whom the directory belongs to, as `uid:gid`. */
  readonly owner: string;
  /** Whom the sandbox runs as, as `uid:gid`. */
  readonly user: string;
};

/** The user that the sandbox runs as may not write to the workspace's directory. */
export class WorkdirNotWritableError extends WorkspaceError<'workdir-not-writable', WorkdirNotWritableDetails> {
  static readonly code = 'workdir-not-writable';

  constructor(details: WorkdirNotWritableDetails, options?: ErrorOptions) {
    const { workdir, owner, user } = details;
    super({
      code: WorkdirNotWritableError.code,
      message: `The directory ${workdir} belongs to ${owner}, and the sandbox runs as ${user}, who may not write to it. Hand it over with \`chown -R ${user} ${workdir}\`, or run the sandbox as its owner with the option user: '${owner}'.`,
      details,
      cause: options?.cause,
    });
  }
}
