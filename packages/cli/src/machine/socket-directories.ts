import { once } from 'node:events';
import { lstat, readdir, realpath, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, join } from 'node:path';

/** As the Docker backend calls them. */
const PREFIX = 'aw-socket-';
const SOCKET = 'gateway.sock';

const PROBE_MS = 2_000;
/** What says that nobody listens; whatever else there is may be a gateway that is busy, or another user's. */
const NOBODY: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOENT']);

/** A directory in which a gateway's socket was. */
export interface SocketDirectory {
  readonly path: string;
  /** Milliseconds since the epoch at which something was last made in it. */
  readonly createdAt: number;
}

/**
 * Those in `parent` by whose socket no gateway can be reached: one that can may be of a container of another engine.
 * What only looks like one, such as a link, is none.
 */
export async function findSocketDirectories(parent: string): Promise<readonly SocketDirectory[]> {
  const real = await realpath(parent);
  const names = (await readdir(real)).filter((name) => name.startsWith(PREFIX)).toSorted();
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(real, name);
      const stat = await lstat(path).catch(() => undefined);
      if (stat?.isDirectory() !== true || (await isServed(path))) return [];
      return [{ path, createdAt: stat.mtimeMs }];
    }),
  );
  return found.flat();
}

async function isServed(directory: string): Promise<boolean> {
  const path = join(directory, SOCKET);
  const stat = await lstat(path).catch(() => undefined);
  if (stat?.isSocket() !== true) return false;
  const socket = connect({ path });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(PROBE_MS) });
    return true;
  } catch (error) {
    return !NOBODY.has((error as NodeJS.ErrnoException).code);
  } finally {
    socket.destroy();
  }
}

/** Removes one, with what is in it, following no link. */
export async function removeSocketDirectory({ path }: SocketDirectory): Promise<void> {
  if (basename(path).startsWith(PREFIX)) await rm(path, { recursive: true, force: true });
}
