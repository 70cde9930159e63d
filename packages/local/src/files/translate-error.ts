import {
  FileExistsError,
  FileNotFoundError,
  IOFailedError,
  NotADirectoryError,
  NotAFileError,
  OperationAbortedError,
  PathInvalidError,
  PermissionDeniedError,
} from '@agent-workspace/core';

/** What was being done, as it reads in a message: "Could not … /a/b". */
export type FileOperation =
  | 'read'
  | 'write'
  | 'append to'
  | 'inspect'
  | 'resolve'
  | 'list'
  | 'create'
  | 'remove'
  | 'rename'
  | 'copy'
  | 'hash'
  | 'search';

export function isErrno(error: unknown, ...codes: readonly string[]): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return codes.length === 0 || codes.includes(error.code);
}

/** The one place where errors of the system become ours. What is ours already, or no errno, stays as it is. */
export function translateError(error: unknown, operation: FileOperation, path: string): unknown {
  if (!isErrno(error) || !('errno' in error)) return error;
  const cause = { cause: error };
  switch (error.code) {
    case 'ENOENT':
      return new FileNotFoundError({ path }, cause);
    case 'EACCES':
    case 'EPERM':
      return new PermissionDeniedError({ path, operation }, cause);
    case 'EEXIST':
      return new FileExistsError({ path }, cause);
    case 'EISDIR':
      return new NotAFileError({ path, kind: 'directory' }, cause);
    case 'ENXIO':
    case 'ENODEV':
      return new NotAFileError({ path, kind: 'other' }, cause);
    case 'ENOTDIR':
      return new NotADirectoryError({ path }, cause);
    case 'ELOOP':
      // Files are opened by their real path: a link found there was put in after the path was resolved.
      return error.syscall === 'open'
        ? new NotAFileError({ path, kind: 'link' }, cause)
        : new PathInvalidError({ path, reason: 'its links form a loop' }, cause);
    case 'ENAMETOOLONG':
      return new PathInvalidError({ path, reason: 'it, or a name in it, is too long' }, cause);
    default:
      return new IOFailedError({ path, operation, errno: error.code ?? 'unknown error' }, cause);
  }
}

/** Runs file work whose errors are to be ours. */
export async function translating<T>(operation: FileOperation, path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateError(error, operation, path);
  }
}

/** @throws `operation-aborted` */
export function throwIfAborted(signal: AbortSignal | undefined, operation: FileOperation, path: string): void {
  if (signal?.aborted === true) {
    throw new OperationAbortedError({ operation: `The attempt to ${operation} ${path}` }, { cause: signal.reason });
  }
}
