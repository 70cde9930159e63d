import { chown, mkdir, mkdtemp, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ContainerUser } from '../container/container-user.ts';

const PREFIX = 'aw-socket-';
const MODE = 0o700;

/**
 * A private directory for a gateway's socket: mode 0700, and the container's user's.
 *
 * @returns `undefined` where this process cannot make it that user's
 */
export async function makeSocketDirectory(user: ContainerUser): Promise<string | undefined> {
  if (!canMakeFor(user)) return undefined;
  const directory = await realpath(await mkdtemp(join(tmpdir(), PREFIX)));
  await giveTo(user, directory);
  return directory;
}

/**
 * Makes the one of a stopped container again that went with a reboot, or by what cleans temporary files: the engine
 * mounts this very path whenever it starts the container. Does nothing if it is there, or is none that
 * `makeSocketDirectory()` would make.
 */
export async function restoreSocketDirectory(directory: string, user: ContainerUser): Promise<void> {
  if (!basename(directory).startsWith(PREFIX) || !canMakeFor(user)) return;
  if (dirname(directory) !== (await realpath(tmpdir()))) return;
  try {
    await mkdir(directory, { mode: MODE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  await giveTo(user, directory);
}

function canMakeFor({ uid }: ContainerUser): boolean {
  const own = process.getuid?.();
  return own === 0 || own === uid;
}

async function giveTo({ uid, gid }: ContainerUser, directory: string): Promise<void> {
  if (process.getuid?.() === 0) await chown(directory, uid, gid);
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
