import { mkdir, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { removeTree } from './remove-tree.ts';

/** A directory of the host, and what had to be made for it to be there. */
export interface HostDirectory {
  readonly path: string;
  /** It was not there. */
  readonly isNew: boolean;
  /** Its parents that were not there either, the nearest first. */
  readonly newParents: readonly string[];
}

export interface MakeHostDirectoryOptions {
  /** Permission bits where it has to be made; its parents get the default ones. Default 0o777, less the umask. */
  readonly mode?: number | undefined;
}

/** Another opening that fails may take a parent back between two steps of ours. */
const MAX_ATTEMPTS = 3;

/**
 * Makes a directory of the host, with its parents, if it is not there.
 *
 * @param path absolute, and normalized
 */
export async function makeHostDirectory(path: string, options: MakeHostDirectoryOptions = {}): Promise<HostDirectory> {
  for (let attempt = 1; ; attempt += 1) {
    const parent = dirname(path);
    const newParents = pathsUpTo(await mkdir(parent, { recursive: true }), parent);
    try {
      await mkdir(path, options.mode);
      return { path, isNew: true, newParents };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && attempt < MAX_ATTEMPTS) continue;
      // Rejects unless it is there, and a directory.
      await mkdir(path, { recursive: true });
      return { path, isNew: false, newParents };
    }
  }
}

function pathsUpTo(topmost: string | undefined, path: string): readonly string[] {
  const paths: string[] = [];
  if (topmost === undefined) return paths;
  for (let at = path; at.length >= topmost.length; at = dirname(at)) paths.push(at);
  return paths;
}

/**
 * Takes back what `makeHostDirectory()` made, from below upwards, and stops at what others have put something into: a
 * parent may have become that of other workspaces.
 *
 * @param options `withContent: true` removes what is in the directory, if that was new
 */
export async function takeBackHostDirectory(
  { path, isNew, newParents }: HostDirectory,
  { withContent }: { readonly withContent: boolean },
): Promise<void> {
  if (isNew && withContent) await removeTree(path);
  const made = isNew && !withContent ? [path, ...newParents] : newParents;
  for (const directory of made) {
    if (!(await removeIfEmpty(directory))) return;
  }
}

/** @returns whether it is gone */
async function removeIfEmpty(directory: string): Promise<boolean> {
  try {
    await rmdir(directory);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    // Systems differ in what they call a directory that has something in it.
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
}
