import { WorkspaceError } from './workspace-error.ts';

export type EncodingUnsupportedDetails = {
  readonly path: string;
  readonly reason: string;
};

/** A text operation on a file that is not UTF-8. */
export class EncodingUnsupportedError extends WorkspaceError<'encoding-unsupported', EncodingUnsupportedDetails> {
  static readonly code = 'encoding-unsupported';

  constructor(details: EncodingUnsupportedDetails, options?: ErrorOptions) {
    super({
      code: EncodingUnsupportedError.code,
      message: `${details.path} is not valid UTF-8 text (${details.reason}). Convert it first, with iconv for example.`,
      details,
      cause: options?.cause,
    });
  }
}
