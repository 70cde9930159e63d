import { WorkspaceError } from './workspace-error.ts';

export type WorkdirInvalidDetails = {
  readonly workdir: string;
  readonly reason: 'missing' | 'not-a-directory' | 'permission-denied' | 'link';
};

const advice = {
  missing: 'Create it, or check the path.',
  'not-a-directory': 'Give the path of a directory.',
  link: 'It is a link, and was not opened: open it before it is removed, or remove what it leads to yourself.',
  'permission-denied': 'Give this user read, write and search permission on it.',
} as const;

/** The directory of a workspace is missing, is a file, or is closed to us. */
export class WorkdirInvalidError extends WorkspaceError<'workdir-invalid', WorkdirInvalidDetails> {
  static readonly code = 'workdir-invalid';

  constructor(details: WorkdirInvalidDetails, options?: ErrorOptions) {
    super({
      code: WorkdirInvalidError.code,
      message: `The workspace directory ${details.workdir} cannot be used (${details.reason}). ${advice[details.reason]}`,
      details,
      cause: options?.cause,
    });
  }
}
