import { closeSync, readSync } from 'node:fs';
import { FileNotFoundError, type HeldLock, LockLostError, NotAFileError } from '@agent-workspace/core';
import { openForReading } from './open-regular.ts';
import type { PathGuard } from './path-guard.ts';
import { isErrno } from './translate-error.ts';

/** More than a lock ever has. */
const MAX_LOCK_BYTES = 4096;

/** @throws `lock-lost` unless the lock file still has the nonce in it */
export function requireLock(guard: PathGuard, lock: HeldLock | undefined): void {
  if (lock !== undefined && !readLock(guard, lock.path).includes(lock.nonce)) {
    throw new LockLostError({ path: guard.absolute(lock.path) });
  }
}

function readLock(guard: PathGuard, path: string): string {
  try {
    const { descriptor } = openForReading(guard, path, true);
    try {
      const buffer = Buffer.allocUnsafe(MAX_LOCK_BYTES);
      return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, MAX_LOCK_BYTES, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return '';
    if (FileNotFoundError.isInstance(error) || NotAFileError.isInstance(error)) return '';
    throw error;
  }
}
