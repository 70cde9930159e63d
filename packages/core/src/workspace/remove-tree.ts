import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { posix } from 'node:path';

const OWNER_MODE = 0o700;
/** For a process that still writes there while its directory is removed. */
const MAX_RETRIES = 3;

/**
 * Removes a file or a directory of this machine with all that is in it; links are removed and not followed. Nothing
 * there is no error.
 */
export async function removeTree(realPath: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: MAX_RETRIES };
  try {
    await rm(realPath, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    // Package managers make directories that may not be written, and so not be emptied.
    makeWritable(realPath);
    await rm(realPath, options);
  }
}

function makeWritable(directory: string): void {
  const stats = lstatSync(directory);
  if (!stats.isDirectory()) return;
  if ((stats.mode & OWNER_MODE) !== OWNER_MODE) chmodSync(directory, OWNER_MODE);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) makeWritable(posix.join(directory, entry.name));
  }
}
