import type { Skill } from '@agent-workspace/core';

/** Gives skills, asked anew each time. A `WorkspaceSession` is one. */
export type SkillLoader =
  | { listSkills(): Promise<readonly Skill[]> }
  | (() => readonly Skill[] | Promise<readonly Skill[]>);

export type SkillOrLoader = Skill | SkillLoader;

/** The skills of a loader, as it has them now. */
export async function loadSkills(loader: SkillLoader): Promise<readonly Skill[]> {
  return typeof loader === 'function' ? await loader() : await loader.listSkills();
}

export function isSkillLoader(source: SkillOrLoader): source is SkillLoader {
  return typeof source === 'function' || ('listSkills' in source && typeof source.listSkills === 'function');
}
