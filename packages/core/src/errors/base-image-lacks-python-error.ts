import { WorkspaceError } from './workspace-error.ts';

export type BaseImageLacksPythonDetails = {
  readonly baseImage: string;
};

/** Python packages were asked for in an image without Python. */
export class BaseImageLacksPythonError extends WorkspaceError<'base-image-lacks-python', BaseImageLacksPythonDetails> {
  static readonly code = 'base-image-lacks-python';

  constructor(details: BaseImageLacksPythonDetails, options?: ErrorOptions) {
    super({
      code: BaseImageLacksPythonError.code,
      message: `The base image ${details.baseImage} has no python3, which extraPip needs. Take one that has it, such as python:3.12-slim, or leave extraPip out.`,
      details,
      cause: options?.cause,
    });
  }
}
