import { posix } from 'node:path';
import type { Layout } from '../state/layout.ts';

/** A directory that holds skills, one folder each, and their index. */
export interface SkillLocation {
  /** Absolute, as the agent sees it. */
  readonly directory: string;
  readonly indexPath: string;
}

/** AgentScope's name for the copy that unscoped callers have. */
export const DEFAULT_PARTITION = 'default';
/** AgentScope's directory of templates; where there is none, the folders in `skills/` are it. */
export const SEED_DIRECTORY = '.seed';

/** The index of every directory but `skills/` itself. */
export const INDEX_NAME = '.index';

/** `skills/` itself. */
export function flatLocation({ skillsDirectory }: Layout): SkillLocation {
  return { directory: skillsDirectory, indexPath: posix.join(skillsDirectory, '.skills') };
}

/** A directory below `skills/`: `.seed`, or what one agent has. */
export function partitionLocation({ skillsDirectory }: Layout, name: string): SkillLocation {
  const directory = posix.join(skillsDirectory, name);
  return { directory, indexPath: posix.join(directory, INDEX_NAME) };
}
