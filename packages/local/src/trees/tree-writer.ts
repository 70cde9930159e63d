import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync, renameSync, symlinkSync } from 'node:fs';
import { posix } from 'node:path';
import {
  FileExistsError,
  type Logger,
  PathInvalidError,
  PathOutsideRootError,
  removeTree,
  type WriteTreeOptions,
} from '@agent-workspace/core';
import { requireLock } from '../files/held-lock.ts';
import type { PathGuard } from '../files/path-guard.ts';
import { syncPath } from '../files/sync-path.ts';
import { asideName, temporaryName } from '../files/temporary-name.ts';
import type { TemporarySweeper } from '../files/temporary-sweeper.ts';
import { isErrno } from '../files/translate-error.ts';
import { makeParents } from '../files/write-file.ts';
import { entryParts, staysInside } from './entry-path.ts';

const DEFAULT_FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o755;
/** Nothing in a tree is set-uid, nor for others to write. */
const MODE_MASK = 0o755;
/** Of a directory: what is made in it gets its group, and directories get the bit itself. */
const SET_GROUP_ID = 0o2000;
/** Without these, its owner could not fill or remove a directory. */
const OWNER_MODE = 0o700;

export type TreeWriterOptions = WriteTreeOptions & {
  readonly logger: Logger;
  readonly sweeper: TemporarySweeper;
};

/**
 * Builds a directory beside the place where it shall be, and moves it there when it is whole.
 * Disposing of it removes what has not been moved.
 */
export class TreeWriter implements AsyncDisposable {
  readonly #guard: PathGuard;
  readonly #directory: string;
  readonly #target: string;
  readonly #temporary: string;
  readonly #options: TreeWriterOptions;
  /** Directories that were made here, and so are no links, by their path in the tree. */
  readonly #made = new Set<string>(['']);
  #isMoved = false;

  private constructor(guard: PathGuard, directory: string, options: TreeWriterOptions) {
    this.#guard = guard;
    this.#directory = guard.absolute(directory);
    this.#target = guard.entry(directory);
    this.#temporary = posix.join(posix.dirname(this.#target), temporaryName());
    this.#options = options;
  }

  /** @throws `file-exists`, `lock-lost`, `path-outside-root` */
  static begin(guard: PathGuard, directory: string, options: TreeWriterOptions): TreeWriter {
    const writer = new TreeWriter(guard, directory, options);
    writer.#requirePlace();
    requireLock(guard, options.heldLock);
    makeParents(writer.#target);
    mkdirSync(writer.#temporary, { mode: DIRECTORY_MODE });
    // A directory that is shared by its group has a bit that all below it would inherit.
    const { mode } = lstatSync(writer.#temporary);
    if ((mode & SET_GROUP_ID) !== 0) chmodSync(writer.#temporary, mode & MODE_MASK);
    return writer;
  }

  addDirectory(path: string, mode: number = DIRECTORY_MODE): void {
    const parts = entryParts(path);
    this.#makeDirectories(parts.slice(0, -1));
    const kept = (mode & MODE_MASK) | OWNER_MODE;
    const place = this.#place(path);
    // Made for something in it, with all that the umask leaves.
    if (this.#made.has(path)) chmodSync(place, (kept & lstatSync(place).mode) | OWNER_MODE);
    else mkdirSync(place, { mode: kept });
    this.#made.add(path);
  }

  /** @param write gets the descriptor of the new, empty file */
  async addFile(path: string, mode: number | undefined, write: (descriptor: number) => Promise<void>): Promise<void> {
    this.#makeDirectories(entryParts(path).slice(0, -1));
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    const descriptor = openSync(this.#place(path), flags, (mode ?? DEFAULT_FILE_MODE) & MODE_MASK);
    try {
      await write(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (this.#options.sync === true) await syncPath(this.#place(path));
  }

  /** @throws `path-outside-root` if the link leads, or could be made to lead, out of the tree */
  addLink(path: string, target: string): void {
    const parts = entryParts(path);
    if (!staysInside(parts, target)) {
      const entry = posix.join(this.#directory, path);
      throw new PathOutsideRootError({ path: entry, realPath: target, roots: [this.#directory] });
    }
    this.#makeDirectories(parts.slice(0, -1));
    symlinkSync(target, this.#place(path));
  }

  /** Moves the tree to its place. @throws `file-exists`, `lock-lost` */
  async commit(): Promise<void> {
    if (this.#options.sync === true) for (const path of this.#made) await syncPath(this.#place(path));
    this.#requirePlace();
    requireLock(this.#guard, this.#options.heldLock);
    const isReplaced = this.#options.replace === true && this.#isTaken();
    if (isReplaced) await this.#swap();
    else renameSync(this.#temporary, this.#target);
    this.#isMoved = true;
    if (this.#options.sync === true) await syncPath(posix.dirname(this.#target));
    this.#options.sweeper.visit(posix.dirname(this.#target));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isMoved) await removeTree(this.#temporary);
  }

  async #swap(): Promise<void> {
    const directory = posix.dirname(this.#target);
    const aside = posix.join(directory, asideName());
    renameSync(this.#target, aside);
    try {
      renameSync(this.#temporary, this.#target);
    } catch (error) {
      renameSync(aside, this.#target);
      throw error;
    }
    const old = posix.join(directory, temporaryName());
    try {
      renameSync(aside, old);
      await removeTree(old);
    } catch (error) {
      this.#options.logger.warn('What a directory was replaced by is in place, but the old one cannot be removed.', {
        directory: this.#directory,
        old,
        error,
      });
    }
  }

  #place(path: string): string {
    return posix.join(this.#temporary, path);
  }

  #isTaken(): boolean {
    return lstatSync(this.#target, { throwIfNoEntry: false }) !== undefined;
  }

  #requirePlace(): void {
    if (this.#options.replace !== true && this.#isTaken()) throw new FileExistsError({ path: this.#directory });
  }

  /** A name taken by a file or a link fails here, so that nothing is written through a link. */
  #makeDirectories(parts: readonly string[]): void {
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const path = parts.slice(0, depth).join('/');
      if (this.#made.has(path)) continue;
      try {
        mkdirSync(this.#place(path), { mode: DIRECTORY_MODE });
      } catch (error) {
        if (!isErrno(error, 'EEXIST')) throw error;
        throw new PathInvalidError(
          { path: parts.join('/'), reason: `${path} is an entry, and no directory` },
          { cause: error },
        );
      }
      this.#made.add(path);
    }
  }
}
