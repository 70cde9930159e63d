import { constants, type Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { FileNotFoundError } from '../errors/file-not-found-error.ts';
import { IOFailedError } from '../errors/io-failed-error.ts';
import { LimitExceededError } from '../errors/limit-exceeded-error.ts';
import { PermissionDeniedError } from '../errors/permission-denied-error.ts';
import { SkillInvalidError } from '../errors/skill-invalid-error.ts';
import type { WorkspaceError } from '../errors/workspace-error.ts';

/** Runs a call of the host's file system; its errors become ours. */
export async function onHost<T>(path: string, operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toWorkspaceError(error, path, operation);
  }
}

/** The errno of a failed system call; `undefined` for any other error. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

function toWorkspaceError(error: unknown, path: string, operation: string): WorkspaceError {
  const errno = errnoOf(error) ?? String(error);
  if (errno === 'ENOENT') return new FileNotFoundError({ path }, { cause: error });
  if (errno === 'EACCES' || errno === 'EPERM') return new PermissionDeniedError({ path, operation }, { cause: error });
  return new IOFailedError({ path, operation, errno }, { cause: error });
}

/** Sorted by name, so that the same folder is read in the same order everywhere. */
export async function listHostDirectory(directory: string): Promise<readonly Dirent[]> {
  const entries = await onHost(directory, 'list', () => readdir(directory, { withFileTypes: true }));
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** @throws `limit-exceeded`, `skill-invalid` if it is no regular file, and as the host fails */
export async function readRegularFile(path: string, maxBytes: number): Promise<Uint8Array> {
  // Without O_NONBLOCK, opening a FIFO that was put here meanwhile would wait for a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await onHost(path, 'open', () => open(path, flags));
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw new SkillInvalidError({ path, reason: 'it is no regular file' });
    if (info.size > maxBytes) throw new LimitExceededError({ what: `The size of ${path} in bytes`, limit: maxBytes });
    return await onHost(path, 'read', () => handle.readFile());
  } finally {
    await handle.close();
  }
}
