import { WorkspaceError } from './workspace-error.ts';

export type SkillNotFoundDetails = {
  readonly name: string;
};

/** No skill has that name. */
export class SkillNotFoundError extends WorkspaceError<'skill-not-found', SkillNotFoundDetails> {
  static readonly code = 'skill-not-found';

  constructor(details: SkillNotFoundDetails, options?: ErrorOptions) {
    super({
      code: SkillNotFoundError.code,
      message: `There is no skill ${JSON.stringify(details.name)}. listSkills() names those that are there.`,
      details,
      cause: options?.cause,
    });
  }
}
