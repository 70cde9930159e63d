import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isOwnerAlive } from './owner.ts';
import { killSandboxes } from './process-tree.ts';

/** All emulators of this user have their directories side by side. */
function parentDirectory(): string {
  return join(tmpdir(), `e2b-emulator-${userInfo().uid}`);
}

/** Makes the directory of the emulator with that name, for this user alone. */
export async function makeStateDirectory(owner: string): Promise<string> {
  const path = join(parentDirectory(), owner);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(parentDirectory(), 0o700);
  return path;
}

/**
 * Removes the directories of emulators that are no more, with what processes of theirs still run: those
 * of roots that nothing else holds together.
 */
export async function removeDeadDirectories(log: (message: string) => void): Promise<void> {
  const parent = parentDirectory();
  for (const owner of await readNames(parent)) {
    if (await isOwnerAlive(owner.split('-')[0] ?? '')) continue;
    const path = join(parent, owner);
    log(`removing what the emulator ${owner} has left`);
    await killSandboxes(await readNames(path));
    await rm(path, { recursive: true, force: true });
  }
}

async function readNames(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
