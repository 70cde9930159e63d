import { WorkspaceError } from './workspace-error.ts';

export type SkillInvalidDetails = {
  readonly path: string;
  readonly reason: string;
};

/** A folder is no skill, or one past its limits. */
export class SkillInvalidError extends WorkspaceError<'skill-invalid', SkillInvalidDetails> {
  static readonly code = 'skill-invalid';

  constructor(details: SkillInvalidDetails, options?: ErrorOptions) {
    super({
      code: SkillInvalidError.code,
      message: `${details.path} is not a usable skill: ${details.reason}.`,
      details,
      cause: options?.cause,
    });
  }
}
