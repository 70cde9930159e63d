import { posix } from 'node:path';
import { SKILL_FILE } from './skill-limits.ts';
import { firstFreeName, isVariantOf } from './skill-names.ts';
import type { SkillIndex } from './skill-index.ts';
import type { ScannedSkill, SkillScan } from './skill-scan.ts';
import type { Skill } from './skill.ts';

/**
 * The unique name of each folder's skill, the same each time for the same files.
 *
 * A name in the index stands while SKILL.md is the one that it was given to, or still has the name
 * that it was made from; the others are named after their SKILL.md, in the order of their folders.
 */
export function assignNames(skills: readonly ScannedSkill[], index: SkillIndex): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const give = (folder: string, name: string): void => {
    names.set(folder, name);
    taken.add(name);
  };
  for (const { folder, document } of skills) {
    const entry = index.entry(folder);
    if (entry === undefined || taken.has(entry.skill_name)) continue;
    const isItsName = entry.hash === document.hash || isVariantOf(entry.skill_name, document.name);
    if (isItsName) give(folder, entry.skill_name);
  }
  for (const { folder, document } of skills) {
    if (!names.has(folder))
      give(
        folder,
        firstFreeName(document.name, (name) => taken.has(name)),
      );
  }
  return names;
}

/** Skills as agents see them, in the order of their names. */
export function listSkills({ location, skills, index }: SkillScan): readonly Skill[] {
  const names = assignNames(skills, index);
  return skills
    .map((scanned) => toSkill(location.directory, scanned, names.get(scanned.folder) ?? scanned.document.name))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

export function toSkill(directory: string, { folder, document }: ScannedSkill, name: string): Skill {
  const { description, body, frontMatter } = document;
  const path = posix.join(directory, folder);
  return { name, description, directory: path, path: posix.join(path, SKILL_FILE), body, frontMatter };
}

/** What is to be in an index. */
export interface IndexedSkills {
  /** Folders that may stay in it, with a SKILL.md that cannot be used, too. */
  readonly folders: ReadonlySet<string>;
  readonly skills: Iterable<ScannedSkill>;
  readonly names: ReadonlyMap<string, string>;
  /** Of the folders whose hash was taken just now. */
  readonly treeHashes?: ReadonlyMap<string, string> | undefined;
}

/** Brings an index up to date with the disk; entries that are right already stay as they are. */
export function updateIndex(
  before: SkillIndex,
  { folders, skills, names, treeHashes = new Map() }: IndexedSkills,
): SkillIndex {
  let index = before.only(folders);
  for (const { folder, document } of skills) {
    const entry = index.entry(folder);
    const name = names.get(folder) ?? document.name;
    const isCurrent = entry?.hash === document.hash && entry.skill_name === name;
    const treeHash = treeHashes.get(folder) ?? (isCurrent ? entry.tree_hash : undefined);
    if (isCurrent && treeHash === entry.tree_hash) continue;
    index = index.with(folder, { hash: document.hash, skill_name: name, tree_hash: treeHash });
  }
  return index;
}
