import { chown, mkdtemp, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ContainerUser } from '../container/container-user.ts';

const PREFIX = 'aw-socket-';

/**
 * A private directory for a gateway's socket: mode 0700, and the container's user's.
 *
 * @returns `undefined` where this process cannot make it that user's
 */
export async function makeSocketDirectory({ uid, gid }: ContainerUser): Promise<string | undefined> {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && process.getuid?.() !== uid) return undefined;
  const directory = await realpath(await mkdtemp(join(tmpdir(), PREFIX)));
  if (isRoot) await chown(directory, uid, gid);
  return directory;
}

/** Removes it with whatever the container has put into it, following no link; nothing but a directory of ours, by its name. */
export async function removeSocketDirectory(directory: string): Promise<void> {
  if (!basename(directory).startsWith(PREFIX)) return;
  try {
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true, force: true });
    await rmdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
