import { chown, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { EnvdUser } from '../users/user.ts';
import { codeOf, describeError, isMissing } from './system-error.ts';

const DIRECTORY_MODE = 0o755;

/** Gives the file to the user, as far as whoever runs envd may: only root can give what is somebody else's. */
export async function giveTo(path: string, user: EnvdUser): Promise<void> {
  try {
    await chown(path, user.uid, user.gid);
  } catch (error) {
    if (codeOf(error) !== 'EPERM' || process.geteuid?.() === 0) throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw new Error(`failed to stat directory: ${describeError(error, 'stat', path)}`, { cause: error });
  }
  throw new Error(`path is a file: ${path}`);
}

/**
 * Makes the directory and those above it where they are missing; what it makes is the user's.
 *
 * @throws an error that says what is in the way
 */
export async function ensureDirectories(path: string, user: EnvdUser): Promise<void> {
  if (await isThere(path)) return;
  await ensureDirectories(dirname(path), user);
  try {
    await mkdir(path, DIRECTORY_MODE);
  } catch (error) {
    // Two uploads at once may make the same directory: whoever comes second finds it.
    if (codeOf(error) === 'EEXIST' && (await isThere(path))) return;
    throw new Error(`failed to create directory: ${describeError(error, 'mkdir', path)}`, { cause: error });
  }
  await giveTo(path, user);
}
