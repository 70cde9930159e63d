import { execFile } from 'node:child_process';
import { lstat, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { ConnectError } from '../connect/connect-error.ts';
import type { EnvdUser } from '../users/user.ts';
import { ensureDirectories } from './ensure-directories.ts';
import { codeOf, describeError, isMissing } from './system-error.ts';

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** A sandbox of E2B has one disk. Here a layer or a mount may lie between two places, and a copy bridges it. */
async function renameAcrossMounts(source: string, destination: string): Promise<void> {
  try {
    await rename(source, destination);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    await promisify(execFile)('mv', ['-f', '-T', '--', source, destination]);
  }
}

/**
 * Moves a file or directory. Makes the directories above the destination, and overwrites a file there.
 *
 * @throws ConnectError `not_found`; `internal`, also for a directory at the destination
 */
export async function moveEntry(source: string, destination: string, user: EnvdUser): Promise<void> {
  const renaming = `${source} ${destination}`;
  try {
    await ensureDirectories(dirname(destination), user);
  } catch (error) {
    throw new ConnectError('internal', error instanceof Error ? error.message : String(error), { cause: error });
  }
  try {
    await lstat(source);
    if (source !== destination && (await isDirectory(destination))) {
      throw new ConnectError('internal', `error renaming: rename ${renaming}: file exists`);
    }
    await renameAcrossMounts(source, destination);
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    const reason = describeError(error, 'rename', renaming);
    if (isMissing(error)) throw new ConnectError('not_found', `source file not found: ${reason}`, { cause: error });
    throw new ConnectError('internal', `error renaming: ${reason}`, { cause: error });
  }
}
