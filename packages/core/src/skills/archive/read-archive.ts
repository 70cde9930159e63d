import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ArchiveRejectedError } from '../../errors/archive-rejected-error.ts';
import { SkillInvalidError } from '../../errors/skill-invalid-error.ts';
import { SKILL_FILE } from '../skill-limits.ts';
import type { SourceEntry, SourceTree } from '../source-tree.ts';
import { ArchiveContents } from './archive-contents.ts';
import { toArchiveError } from './archive-error.ts';
import { type ArchiveFile, openArchiveFile } from './archive-file.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';
import { readFully } from './spool-file.ts';

/** The one skill of an archive. Dispose of it once its files have been read. */
export interface ArchivedSkill extends SourceTree, AsyncDisposable {}

/** Named in a message that lists what an archive holds. */
const MAX_NAMED = 5;

/**
 * Expands a zip, tar or tar.gz, which it is known for by its first bytes, and finds the skill in it.
 *
 * @throws `archive-rejected`; `skill-invalid` if there is no skill in it, or more than one
 */
export async function readArchivedSkill(
  archive: string | Uint8Array | ReadableStream<Uint8Array>,
): Promise<ArchivedSkill> {
  const origin = typeof archive === 'string' ? archive : 'the archive';
  await using file = await openArchiveFile(archive);
  const contents = await ArchiveContents.create(file.sizeBytes);
  try {
    await expand(file, contents);
    contents.finish();
    const root = skillRoot(contents.entries, origin);
    return {
      origin: root === '' ? origin : `${origin}/${root}`,
      folder: basename(root === '' ? origin.replace(/(?:\.(?:zip|tar|tgz|gz))+$/i, '') : root),
      entries: below(root, contents.entries),
      [Symbol.asyncDispose]: () => contents[Symbol.asyncDispose](),
    };
  } catch (error) {
    await contents[Symbol.asyncDispose]();
    throw toArchiveError(error);
  }
}

async function expand({ handle }: ArchiveFile, contents: ArchiveContents): Promise<void> {
  const kind = archiveKind(Buffer.from(await readFully(handle, 0, 512)));
  if (kind === 'zip') {
    await readZip(handle, contents);
    return;
  }
  const bytes = handle.createReadStream({ start: 0, autoClose: false });
  // The reader of the last stream gets the error of any; the callback has nothing to add.
  const chunks = kind === 'gzip' ? pipeline(bytes, createGunzip(), () => undefined) : bytes;
  await readTar(chunks as AsyncIterable<Uint8Array>, contents);
}

function archiveKind(head: Buffer): 'zip' | 'tar' | 'gzip' {
  const magic = head.length >= 4 ? head.readUInt32BE(0) : 0;
  if (magic === 0x504b0304 || magic === 0x504b0506) return 'zip';
  if (magic >>> 16 === 0x1f8b) return 'gzip';
  if (head.length === 512 && isTarHeader(head)) return 'tar';
  throw new ArchiveRejectedError({ reason: 'it is no zip, tar or tar.gz' });
}

/** By the checksum, which older archives have, too; it counts its own field as spaces. */
function isTarHeader(head: Buffer): boolean {
  const stored = Number.parseInt(head.toString('latin1', 148, 156).trim(), 8);
  const sum = head.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  return stored === sum;
}

/** The folder that holds SKILL.md, in whatever folders it is wrapped. */
function skillRoot(entries: readonly SourceEntry[], origin: string): string {
  const folders = entries
    .filter(({ path, kind }) => kind !== 'directory' && (path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`)))
    .map(({ path }) => path.slice(0, -SKILL_FILE.length).replace(/\/$/, ''));
  // A SKILL.md inside a skill is one of its files.
  const roots = folders.filter((folder) => !folders.some((other) => other !== folder && isBelow(other, folder)));
  const [root] = roots;
  if (root === undefined) throw new SkillInvalidError({ path: origin, reason: 'there is no SKILL.md in it' });
  if (roots.length > 1) {
    const named = roots.slice(0, MAX_NAMED).join(', ');
    const reason = `it holds ${roots.length} skills (${named}${roots.length > MAX_NAMED ? ', …' : ''}); give an archive of each`;
    throw new SkillInvalidError({ path: origin, reason });
  }
  return root;
}

function below(root: string, entries: readonly SourceEntry[]): readonly SourceEntry[] {
  if (root === '') return entries;
  return entries
    .filter(({ path }) => isBelow(root, path))
    .map((entry) => ({ ...entry, path: entry.path.slice(root.length + 1) }));
}

function isBelow(folder: string, path: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}
