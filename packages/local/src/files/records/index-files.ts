import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { type Logger, removeTree } from '@agent-workspace/core';
import { lstatIfThere } from '../file-stat.ts';
import { isWithin, type PathGuard } from '../path-guard.ts';
import { resolveRealPath } from '../real-path.ts';

const STATE_DIRECTORY = '.workspace';
const EXTENSION = '.keys';
const MAX_NAME_BYTES = 255;
/** As many as macOS takes in one path; Linux takes more. */
const MAX_PATH_BYTES = 1024;

/** Where the indexes of records are: below `.workspace/records`, which has the form of the workdir. */
export class IndexFiles {
  readonly #guard: PathGuard;
  readonly #logger: Logger;

  constructor(guard: PathGuard, logger: Logger) {
    this.#guard = guard;
    this.#logger = logger;
  }

  /** The real path of the index of a file, given by its own. @throws `path-outside-root` */
  pathOf(realPath: string): string {
    return this.#guard.entry(indexPath(resolveRealPath(this.#guard.workdir), realPath));
  }

  /** Removes the indexes of a file, or of all in a directory, that is no longer there. Never fails. */
  async drop(realPath: string): Promise<void> {
    try {
      const workdir = resolveRealPath(this.#guard.workdir);
      if (realPath === workdir || !isWithin(realPath, workdir)) return;
      if (isWithin(realPath, posix.join(workdir, STATE_DIRECTORY))) return;
      await removeUnlinked(posix.join(recordsDirectory(workdir), posix.relative(workdir, realPath)));
      await removeUnlinked(indexPath(workdir, realPath));
    } catch (error) {
      this.#logger.warn('The index of records of a removed file could not be removed.', { path: realPath, error });
    }
  }
}

/** What a link on the way leads to is not ours to remove. */
async function removeUnlinked(path: string): Promise<void> {
  if (lstatIfThere(path) === undefined) return;
  const parent = posix.dirname(path);
  if (resolveRealPath(parent) === parent) await removeTree(path);
}

function recordsDirectory(workdir: string): string {
  return posix.join(workdir, STATE_DIRECTORY, 'records');
}

/** Goes by the path within the workdir, so that a workspace can be moved with its indexes. */
function indexPath(workdir: string, realPath: string): string {
  const records = recordsDirectory(workdir);
  if (!isWithin(realPath, workdir)) return posix.join(records, hashedName(realPath));
  const relative = posix.relative(workdir, realPath);
  const mirrored = posix.join(records, `${relative}${EXTENSION}`);
  return canBeMade(relative, mirrored) ? mirrored : posix.join(records, hashedName(relative));
}

function canBeMade(relative: string, mirrored: string): boolean {
  if (Buffer.byteLength(mirrored) > MAX_PATH_BYTES) return false;
  if (Buffer.byteLength(posix.basename(mirrored)) > MAX_NAME_BYTES) return false;
  // A directory with the name of another file's index.
  return !posix
    .dirname(relative)
    .split('/')
    .some((name) => name.endsWith(EXTENSION));
}

function hashedName(path: string): string {
  return `${createHash('sha256').update(path, 'utf8').digest('hex')}${EXTENSION}`;
}
