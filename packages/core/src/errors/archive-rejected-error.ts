import { WorkspaceError } from './workspace-error.ts';

export type ArchiveRejectedDetails = {
  readonly entry?: string | undefined;
  readonly reason: string;
};

/** An archive is damaged, leads out of its folder, or is past a cap. Nothing of it was kept. */
export class ArchiveRejectedError extends WorkspaceError<'archive-rejected', ArchiveRejectedDetails> {
  static readonly code = 'archive-rejected';

  constructor(details: ArchiveRejectedDetails, options?: ErrorOptions) {
    super({
      code: ArchiveRejectedError.code,
      message: `The archive was not unpacked: ${details.entry === undefined ? '' : `${JSON.stringify(details.entry)}: `}${details.reason}.`,
      details,
      cause: options?.cause,
    });
  }
}
