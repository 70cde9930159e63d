import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { NotAFileError } from '@agent-workspace/core';
import { fileKind } from './file-stat.ts';
import type { PathGuard } from './path-guard.ts';

export interface OpenFile {
  readonly descriptor: number;
  readonly stats: BigIntStats;
}

/** @throws `not-a-file` unless it is a regular file */
export function requireRegular(stats: BigIntStats, path: string): void {
  const kind = fileKind(stats);
  if (kind !== 'file') throw new NotAFileError({ path, kind });
}

/** Opens a regular file by its real path; whatever else has that name is not opened, or let go of at once. */
export function openRegular(realPath: string, flags: number, path: string, mode?: number): OpenFile {
  // Opening alone can do something: rewind a tape, wake the writer of a FIFO.
  const before = lstatSync(realPath, { bigint: true, throwIfNoEntry: false });
  if (before !== undefined) requireRegular(before, path);
  const safely = constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;
  const descriptor = openSync(realPath, flags | safely, mode);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    requireRegular(stats, path);
    return { descriptor, stats };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** @throws `file-not-found`, `not-a-file`, `path-outside-root`, `path-invalid` */
export function openForReading(guard: PathGuard, path: string, noFollow: boolean | undefined): OpenFile {
  const realPath = noFollow === true ? guard.entry(path) : guard.target(path);
  return openRegular(realPath, constants.O_RDONLY, guard.absolute(path));
}
