import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { NOISE_NAMES } from '../backend/trees.ts';
import { LimitExceededError } from '../errors/limit-exceeded-error.ts';
import { SkillInvalidError } from '../errors/skill-invalid-error.ts';
import { WorkspaceError } from '../errors/workspace-error.ts';
import type { Diagnostic } from '../events/diagnostics.ts';
import { errnoOf, listHostDirectory, onHost, readRegularFile } from './host-io.ts';
import { MAX_TREE_BYTES, MAX_TREE_DEPTH, MAX_TREE_ENTRIES, SKILL_FILE } from './skill-limits.ts';
import type { SourceEntry, SourceTree } from './source-tree.ts';

/** Where the skills of a configured path are. */
export interface FoundFolders {
  /** Absolute real paths, each once, in the order of their names. */
  readonly folders: readonly string[];
  /** The real path that they, and what their SKILL.md links to, must be in. */
  readonly root: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Finds the skills at a path on the host: the folder itself if it has a SKILL.md, else those of its
 * own folders that have one.
 *
 * @throws `file-not-found`, `permission-denied`, `io-failed`, `skill-invalid`
 */
export async function findSkillFolders(path: string): Promise<FoundFolders> {
  const root = await realDirectory(path);
  if (await hasSkillFile(root)) return { folders: [root], root, diagnostics: [] };
  const folders = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const { name } of await listHostDirectory(root)) {
    if (NOISE_NAMES.includes(name)) continue;
    const child = join(root, name);
    try {
      if (!(await hasSkillFile(child))) continue;
      const real = await onHost(child, 'read', () => realpath(child));
      if (!isWithin(root, real)) {
        const reason = `it leads out of ${path}; give ${real} as a path of its own`;
        throw new SkillInvalidError({ path: child, reason });
      }
      folders.add(real);
    } catch (error) {
      if (!WorkspaceError.isInstance(error)) throw error;
      diagnostics.push({ kind: 'skill', path: child, reason: error.message, severity: 'warning' });
    }
  }
  if (folders.size === 0 && diagnostics.length === 0) {
    throw new SkillInvalidError({ path, reason: 'there is no SKILL.md in it, nor in a folder directly in it' });
  }
  return { folders: [...folders], root, diagnostics };
}

/** A folder on the host that is to become a skill. */
export interface HostFolder extends SourceTree {
  /** What is left out, and why. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The files of a skill's folder. Links are given as they are and not followed, except that SKILL.md
 * may be one that stays in `root`.
 *
 * @throws `limit-exceeded`, `permission-denied`, `io-failed`, `skill-invalid`
 */
export async function readHostFolder(folder: string, root: string): Promise<HostFolder> {
  const entries: SourceEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  let totalBytes = 0;

  const visit = async (directory: string, prefix: string, depth: number): Promise<void> => {
    if (depth > MAX_TREE_DEPTH) overLimit(folder, 'The depth', MAX_TREE_DEPTH);
    for (const dirent of await listHostDirectory(directory)) {
      if (NOISE_NAMES.includes(dirent.name)) continue;
      const path = `${prefix}${dirent.name}`;
      const absolute = join(directory, dirent.name);
      if (entries.length >= MAX_TREE_ENTRIES) overLimit(folder, 'The number of entries', MAX_TREE_ENTRIES);
      if (dirent.isSymbolicLink()) {
        entries.push(path === SKILL_FILE ? await linkedSkillFile(absolute, root) : await link(folder, absolute, path));
        continue;
      }
      const { mode, size } = await onHost(absolute, 'read', () => lstat(absolute));
      if (dirent.isDirectory()) {
        entries.push({ kind: 'directory', path, mode });
        await visit(absolute, `${path}/`, depth + 1);
      } else if (dirent.isFile()) {
        totalBytes += size;
        if (totalBytes > MAX_TREE_BYTES) overLimit(folder, 'The size in bytes', MAX_TREE_BYTES);
        const read = (): Promise<Uint8Array> => readRegularFile(absolute, MAX_TREE_BYTES);
        entries.push({ kind: 'file', path, mode, sizeBytes: size, read });
      } else {
        const reason = 'it is left out: it is neither a file, a folder nor a link';
        diagnostics.push({ kind: 'skill', path: absolute, reason, severity: 'warning' });
      }
    }
  };

  await visit(folder, '', 1);
  return { origin: folder, folder: basename(folder), entries, diagnostics };
}

async function realDirectory(path: string): Promise<string> {
  const real = await onHost(path, 'read', () => realpath(path));
  if ((await onHost(path, 'read', () => stat(real))).isDirectory()) return real;
  throw new SkillInvalidError({ path, reason: 'it is no folder; give the folder that its SKILL.md is in' });
}

async function hasSkillFile(directory: string): Promise<boolean> {
  return onHost(directory, 'look into', async () => {
    try {
      await lstat(join(directory, SKILL_FILE));
      return true;
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return false;
      throw error;
    }
  });
}

/** A link into the skill by an absolute path is made relative, so that it fits where it is copied to. */
async function link(folder: string, absolute: string, path: string): Promise<SourceEntry> {
  const target = await onHost(absolute, 'read', () => readlink(absolute));
  if (!target.startsWith(`${folder}/`)) return { kind: 'link', path, target };
  const up = '../'.repeat(path.split('/').length - 1);
  return { kind: 'link', path, target: `${up}${target.slice(folder.length + 1)}` };
}

async function linkedSkillFile(absolute: string, root: string): Promise<SourceEntry> {
  const target = await onHost(absolute, 'follow', () => realpath(absolute));
  if (!isWithin(root, target)) {
    throw new SkillInvalidError({ path: absolute, reason: `it is a link that leads out of ${root}` });
  }
  const { mode, size } = await onHost(target, 'read', () => stat(target));
  const read = (): Promise<Uint8Array> => readRegularFile(target, MAX_TREE_BYTES);
  return { kind: 'file', path: SKILL_FILE, mode, sizeBytes: size, read };
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function overLimit(folder: string, what: string, limit: number): never {
  throw new LimitExceededError({ what: `${what} of ${folder}`, limit });
}
