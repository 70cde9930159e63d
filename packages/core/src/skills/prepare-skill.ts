import { posix } from 'node:path';
import { NOISE_NAMES } from '../backend/trees.ts';
import { SkillInvalidError } from '../errors/skill-invalid-error.ts';
import type { Diagnostic } from '../events/diagnostics.ts';
import { parseSkillDocument, type SkillDocument, SkillDocumentError } from './skill-document.ts';
import { MAX_FILE_NAME_BYTES, MAX_SKILL_FILE_BYTES, SKILL_FILE } from './skill-limits.ts';
import { linksOf, resolveInTree, sortOutLinks, type SourceEntry, type SourceTree } from './source-tree.ts';

/** A skill that has been looked over and can be written as it is. */
export interface PreparedSkill {
  readonly origin: string;
  readonly document: SkillDocument;
  readonly entries: readonly SourceEntry[];
  /** What is left out, and why. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Takes from a source what belongs to the skill: no noise, and no link that leads to something that
 * does not come along.
 *
 * @throws `skill-invalid`
 */
export async function prepareSkill({ origin, folder, entries }: SourceTree): Promise<PreparedSkill> {
  const own = entries.filter(({ path }) => !path.split('/').some((part) => NOISE_NAMES.includes(part)));
  if (own.some(({ path }) => Buffer.byteLength(posix.basename(path)) > MAX_FILE_NAME_BYTES)) {
    const reason = `it has a file name longer than ${MAX_FILE_NAME_BYTES} bytes`;
    throw new SkillInvalidError({ path: origin, reason });
  }
  const { kept, dropped } = sortOutLinks(
    own.map((entry) => (entry.path === SKILL_FILE ? dereference(entry, own) : entry)),
  );
  const diagnostics = dropped.map(({ path, reason }): Diagnostic => {
    return { kind: 'skill', path: `${origin}/${path}`, reason, severity: 'warning' };
  });
  const skillFile = kept.find(({ path }) => path === SKILL_FILE);
  if (skillFile?.kind !== 'file') {
    const isLink = own.some(({ path, kind }) => path === SKILL_FILE && kind === 'link');
    const reason = isLink ? 'its SKILL.md is a link that leads to no file in it' : 'it has no SKILL.md';
    throw new SkillInvalidError({ path: origin, reason });
  }
  try {
    if (skillFile.sizeBytes > MAX_SKILL_FILE_BYTES) {
      throw new SkillDocumentError(`its SKILL.md is larger than ${MAX_SKILL_FILE_BYTES} bytes`);
    }
    const bytes = await skillFile.read();
    const document = await parseSkillDocument(bytes, folder);
    // What is written is what was looked over.
    const read = (): Promise<Uint8Array> => Promise.resolve(bytes);
    return {
      origin,
      document,
      entries: kept.map((entry) => (entry === skillFile ? { ...entry, read } : entry)),
      diagnostics,
    };
  } catch (error) {
    if (!(error instanceof SkillDocumentError)) throw error;
    throw new SkillInvalidError({ path: `${origin}/${SKILL_FILE}`, reason: error.message }, { cause: error });
  }
}

/** A link as the file that it leads to, if that is in the same tree. */
function dereference(entry: SourceEntry, entries: readonly SourceEntry[]): SourceEntry {
  if (entry.kind !== 'link') return entry;
  const end = resolveInTree(entry.path, linksOf(entries));
  const target = entries.find(({ path }) => path === end);
  return target?.kind === 'file' ? { ...target, path: entry.path } : entry;
}
