import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:net';
import { once } from 'node:events';

const OWNER_ONLY = 0o600;
const NOT_FOR_OTHERS = 0o177;

/** Removes what an earlier process left behind; anything but a socket is not ours to remove. */
function removeStaleSocket(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSocket() === true) unlinkSync(path);
}

/** Listens on a unix socket that only this user can connect to, from the moment it is there. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  removeStaleSocket(path);
  const umask = process.umask(NOT_FOR_OTHERS);
  try {
    // The file is made within this call.
    server.listen(path);
  } finally {
    process.umask(umask);
  }
  await once(server, 'listening');
  // Not every file system heeds the umask.
  chmodSync(path, OWNER_ONLY);
}
