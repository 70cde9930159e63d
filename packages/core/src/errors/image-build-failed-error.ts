import { WorkspaceError } from './workspace-error.ts';

export type ImageBuildFailedDetails = {
  /** What the image would have been called. */
  readonly image: string;
  /** The instruction of the Dockerfile that failed. */
  readonly step?: string | undefined;
  readonly reason: string;
  /** The end of what that step printed. */
  readonly log?: string | undefined;
};

/** The image of a workspace could not be built. */
export class ImageBuildFailedError extends WorkspaceError<'image-build-failed', ImageBuildFailedDetails> {
  static readonly code = 'image-build-failed';

  constructor(details: ImageBuildFailedDetails, options?: ErrorOptions) {
    const step = details.step === undefined ? '' : ` at ${details.step}`;
    super({
      code: ImageBuildFailedError.code,
      message: `Could not build the image ${details.image}${step}: ${details.reason}${details.log ? `\n${details.log}` : ''}`,
      details,
      cause: options?.cause,
    });
  }
}
