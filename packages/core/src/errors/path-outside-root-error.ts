import { WorkspaceError } from './workspace-error.ts';

export type PathOutsideRootDetails = {
  readonly path: string;
  readonly realPath: string;
  readonly roots: readonly string[];
};

/** A path leads out of the directories that file access is confined to. */
export class PathOutsideRootError extends WorkspaceError<'path-outside-root', PathOutsideRootDetails> {
  static readonly code = 'path-outside-root';

  constructor(details: PathOutsideRootDetails, options?: ErrorOptions) {
    super({
      code: PathOutsideRootError.code,
      message: `${details.path}${details.realPath === details.path ? ' is' : ` leads to ${details.realPath},`} outside of ${details.roots.join(', ')}. Use a path inside.`,
      details,
      cause: options?.cause,
    });
  }
}
