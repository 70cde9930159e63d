import { SkillInvalidError } from '../errors/skill-invalid-error.ts';
import { findSkillFolders, readHostFolder } from './host-folder.ts';
import { type PreparedSkill, prepareSkill } from './prepare-skill.ts';
import type { SkillSource } from './skill.ts';

/** A skill whose files can be read until it is disposed of. */
export interface OpenSkill extends PreparedSkill, AsyncDisposable {}

/**
 * Opens the one skill that a source holds.
 *
 * @throws `skill-invalid`, `archive-rejected`, `limit-exceeded`, and as the host fails
 */
export async function openSkillSource(source: SkillSource): Promise<OpenSkill> {
  if ('path' in source) {
    return { ...(await openFolder(source.path)), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  // Callers in plain JavaScript are not held to the type.
  if (!('archive' in source)) {
    throw new SkillInvalidError({ path: JSON.stringify(source), reason: 'give { path } of a folder or { archive }' });
  }
  const { readArchivedSkill } = await import('./archive/read-archive.ts');
  const archived = await readArchivedSkill(source.archive);
  const dispose = async (): Promise<void> => archived[Symbol.asyncDispose]();
  try {
    return { ...(await prepareSkill(archived)), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function openFolder(path: string): Promise<PreparedSkill> {
  const { folders, root, diagnostics } = await findSkillFolders(path);
  const [folder] = folders;
  if (folder === undefined) {
    throw new SkillInvalidError({ path, reason: diagnostics.map(({ reason }) => reason).join('; ') });
  }
  if (folders.length > 1) {
    throw new SkillInvalidError({ path, reason: `it holds ${folders.length} skills; give the folder of one` });
  }
  return prepareFolder(folder, root);
}

/** @throws `skill-invalid`, `limit-exceeded`, and as the host fails */
export async function prepareFolder(folder: string, root: string): Promise<PreparedSkill> {
  const tree = await readHostFolder(folder, root);
  const prepared = await prepareSkill(tree);
  return { ...prepared, diagnostics: [...tree.diagnostics, ...prepared.diagnostics] };
}
