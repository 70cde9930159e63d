import { constants } from 'node:fs';
import { chown, type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { O_PATH } from '../transport/o-path.ts';
import type { ContainerUser } from './container-user.ts';

/** Whether a workspace of ours, or the beginning of one, is in a directory that belongs to root. */
export async function isOurs(directory: string): Promise<boolean> {
  try {
    const facts = await lstat(join(directory, '.workspace'));
    return facts.isDirectory() && facts.uid === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Gives what belongs to root in a directory, and the directory, to a user. An agent may have been at
 * work in parts of it, so every entry is held by its descriptor: no link that is put in its place
 * leads elsewhere, and a file with a second name, which may be outside, stays as it is.
 */
export async function handOver(directory: string, user: ContainerUser): Promise<void> {
  const handle = await open(directory, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  try {
    await handOverEntry(handle, user);
  } finally {
    await handle.close();
  }
}

async function handOverEntry(handle: FileHandle, user: ContainerUser): Promise<void> {
  const held = `/proc/self/fd/${handle.fd}`;
  const facts = await handle.stat();
  if (facts.isDirectory()) {
    for (const name of await readdir(held)) {
      const entry = await open(join(held, name), O_PATH | constants.O_NOFOLLOW);
      try {
        await handOverEntry(entry, user);
      } finally {
        await entry.close();
      }
    }
  }
  const isAlone = facts.isDirectory() || (facts.isFile() && facts.nlink === 1);
  if (isAlone && facts.uid === 0) await chown(held, user.uid, user.gid);
}
