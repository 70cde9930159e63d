import { WorkspaceError } from './workspace-error.ts';

export type FileTooLargeDetails = {
  readonly path: string;
  readonly sizeBytes: number;
  readonly maxBytes: number;
};

/** A file is larger than the read may be. */
export class FileTooLargeError extends WorkspaceError<'file-too-large', FileTooLargeDetails> {
  static readonly code = 'file-too-large';

  constructor(details: FileTooLargeDetails, options?: ErrorOptions) {
    super({
      code: FileTooLargeError.code,
      message: `${details.path} has ${details.sizeBytes} bytes, more than the ${details.maxBytes} that may be read at once. Read a part of it.`,
      details,
      cause: options?.cause,
    });
  }
}
