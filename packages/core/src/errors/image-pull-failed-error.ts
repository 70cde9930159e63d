import { WorkspaceError } from './workspace-error.ts';

export type ImagePullFailedDetails = {
  readonly image: string;
  /** The engine's own words. */
  readonly reason: string;
};

/** An image that a workspace stands on is not here and could not be fetched. */
export class ImagePullFailedError extends WorkspaceError<'image-pull-failed', ImagePullFailedDetails> {
  static readonly code = 'image-pull-failed';

  constructor(details: ImagePullFailedDetails, options?: ErrorOptions) {
    super({
      code: ImagePullFailedError.code,
      message: `Could not pull the image ${details.image}: ${details.reason}. Check its name; where it needs a login, \`docker pull\` it beforehand.`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
