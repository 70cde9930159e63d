import { WorkspaceError } from './workspace-error.ts';

export type Base64InvalidDetails = {
  readonly reason: string;
};

/** Inline data does not decode. */
export class Base64InvalidError extends WorkspaceError<'base64-invalid', Base64InvalidDetails> {
  static readonly code = 'base64-invalid';

  constructor(details: Base64InvalidDetails, options?: ErrorOptions) {
    super({
      code: Base64InvalidError.code,
      message: `The data is not valid base64: ${details.reason}. Nothing was stored.`,
      details,
      cause: options?.cause,
    });
  }
}
