import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { posix } from 'node:path';
import { PathInvalidError } from '@agent-workspace/core';
import { isErrno } from './translate-error.ts';

/** As many as Linux follows in one path. */
const MAX_LINKS = 40;

/**
 * An absolute path with every link followed. What does not exist is kept as it is written, behind
 * the real path of its nearest existing parent; a link that leads to nothing is followed, too,
 * since a file written through it would appear where it leads.
 *
 * @throws `path-invalid` on a loop of links
 */
export function resolveRealPath(path: string): string {
  return resolve(path, path, MAX_LINKS);
}

function resolve(path: string, requested: string, linksLeft: number): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isErrno(error, 'ELOOP')) throw loop(requested, error);
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  const parent = posix.dirname(path);
  const entry = posix.join(resolve(parent, requested, linksLeft), posix.basename(path));
  if (!isLink(entry)) return entry;
  if (linksLeft === 0) throw loop(requested);
  return resolve(posix.resolve(posix.dirname(entry), readlinkSync(entry)), requested, linksLeft - 1);
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) return false;
    throw error;
  }
}

function loop(path: string, cause?: unknown): PathInvalidError {
  return new PathInvalidError({ path, reason: 'its links form a loop' }, { cause });
}
