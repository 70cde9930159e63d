import { WorkspaceError } from './workspace-error.ts';

export type NotAFileDetails = {
  readonly path: string;
  readonly kind: 'directory' | 'link' | 'other';
};

const kinds = { directory: 'a directory', link: 'a link', other: 'a device, a FIFO or a socket' } as const;

/** A regular file was needed; a directory, a link, a device or a FIFO was found. */
export class NotAFileError extends WorkspaceError<'not-a-file', NotAFileDetails> {
  static readonly code = 'not-a-file';

  constructor(details: NotAFileDetails, options?: ErrorOptions) {
    super({
      code: NotAFileError.code,
      message: `${details.path} is not a regular file but ${kinds[details.kind]}.`,
      details,
      cause: options?.cause,
    });
  }
}
