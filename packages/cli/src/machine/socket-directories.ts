import { lstat, readdir, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** As the Docker backend calls them. */
const PREFIX = 'aw-socket-';

/** A directory in which a gateway's socket was. */
export interface SocketDirectory {
  readonly path: string;
  /** Milliseconds since the epoch at which something was last made in it. */
  readonly createdAt: number;
}

/** Those in `parent`. What only looks like one, such as a link, is none. */
export async function findSocketDirectories(parent: string): Promise<readonly SocketDirectory[]> {
  const real = await realpath(parent);
  const names = (await readdir(real)).filter((name) => name.startsWith(PREFIX)).toSorted();
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(real, name);
      const stat = await lstat(path).catch(() => undefined);
      return stat?.isDirectory() === true ? [{ path, createdAt: stat.mtimeMs }] : [];
    }),
  );
  return found.flat();
}

/** Removes one, with what is in it, following no link. */
export async function removeSocketDirectory({ path }: SocketDirectory): Promise<void> {
  if (basename(path).startsWith(PREFIX)) await rm(path, { recursive: true, force: true });
}
