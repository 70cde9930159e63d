/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';

/** Skills are text that a model reads: what is larger than this is something else. */
export const MAX_SKILL_FILE_BYTES: number = 256 * 1024;
export const MAX_FRONT_MATTER_BYTES: number = 16 * 1024;
/** Skills in one listing. */
export const MAX_SKILLS = 1_000;
export const MAX_INDEX_BYTES: number = 4 * 1024 * 1024;

/** What one skill, or an archive when it is expanded, may hold. */
export const MAX_TREE_BYTES: number = 500 * 1024 * 1024;
export const MAX_TREE_ENTRIES = 10_000;
export const MAX_TREE_DEPTH = 32;
/** The longest file name that Linux and macOS take. */
export const MAX_FILE_NAME_BYTES = 255;

/** Expanded bytes for each byte of an archive. Text that people write stays far below. */
export const MAX_ARCHIVE_RATIO = 200;
/** The ratio says nothing about less than this: a page of zeros packs better than any bomb. */
export const RATIO_FREE_BYTES: number = 4 * 1024 * 1024;

/** Permission bits that a skill's files may have: no set-id, no writing by others. */
export function maskMode(mode: number, kind: 'file' | 'directory'): number {
  return (mode & 0o755) | (kind === 'file' ? 0o600 : 0o700);
}
