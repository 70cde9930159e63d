import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { posix } from 'node:path';
import {
  type ChangeOptions,
  type DirectoryEntry,
  FileExistsError,
  FileNotFoundError,
  type FileStat,
  type MakeDirectoryOptions,
  type PathOptions,
  type RemoveOptions,
  removeTree,
  type StatOptions,
} from '@agent-workspace/core';
import { fileKind, lstatIfThere, toFileStat } from './file-stat.ts';
import { requireLock } from './held-lock.ts';
import type { PathGuard } from './path-guard.ts';
import { isTemporaryName } from './temporary-name.ts';
import { isErrno, throwIfAborted } from './translate-error.ts';

/** Orders as every backend does: by UTF-16 code unit. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function stat(guard: PathGuard, path: string, options: StatOptions = {}): FileStat | undefined {
  throwIfAborted(options.signal, 'inspect', path);
  try {
    const real = options.noFollow === true ? guard.entry(path) : guard.target(path);
    return toFileStat(lstatSync(real, { bigint: true }));
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

export function readDirectory(guard: PathGuard, path: string, options: PathOptions = {}): readonly DirectoryEntry[] {
  throwIfAborted(options.signal, 'list', path);
  return readdirSync(guard.target(path), { withFileTypes: true })
    .filter((entry) => !isTemporaryName(entry.name))
    .map((entry) => ({ name: entry.name, kind: fileKind(entry) }))
    .toSorted((a, b) => byCodeUnit(a.name, b.name));
}

export function makeDirectory(guard: PathGuard, path: string, options: MakeDirectoryOptions = {}): void {
  throwIfAborted(options.signal, 'create', path);
  const { recursive = true, mode } = options;
  const target = recursive ? guard.target(path) : guard.entry(path);
  const isNew = statSync(target, { throwIfNoEntry: false }) === undefined;
  mkdirSync(target, { recursive, mode });
  // What mkdir is asked for is cut by the umask.
  if (isNew && mode !== undefined) chmodSync(target, mode & 0o777);
}

/** @returns the real path of what is no longer there */
export async function remove(guard: PathGuard, path: string, options: RemoveOptions = {}): Promise<string> {
  throwIfAborted(options.signal, 'remove', path);
  const target = guard.entry(path);
  requireLock(guard, options.heldLock);
  const found = lstatIfThere(target);
  if (found === undefined) {
    if (options.mustExist === true) throw new FileNotFoundError({ path: guard.absolute(path) });
    return target;
  }
  try {
    if (!found.isDirectory()) unlinkSync(target);
    else if (options.recursive === true) await removeTree(target);
    else rmdirSync(target);
  } catch (error) {
    // Someone else removed it first, which is what was asked for.
    if (!isErrno(error, 'ENOENT')) throw error;
  }
  return target;
}

/** @returns the real path of what is no longer there */
export function rename(guard: PathGuard, from: string, to: string, options: ChangeOptions = {}): string {
  throwIfAborted(options.signal, 'rename', from);
  const source = guard.entry(from);
  const target = guard.entry(to);
  if (lstatIfThere(source) === undefined) throw new FileNotFoundError({ path: guard.absolute(from) });
  requireLock(guard, options.heldLock);
  try {
    renameSync(source, target);
  } catch (error) {
    const path = guard.absolute(to);
    if (isErrno(error, 'ENOTEMPTY', 'EEXIST', 'EISDIR')) throw new FileExistsError({ path }, { cause: error });
    if (isErrno(error, 'ENOENT')) throw new FileNotFoundError({ path: posix.dirname(path) }, { cause: error });
    throw error;
  }
  return source;
}
