import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findSocketDirectories } from './socket-directories.ts';

it('findSocketDirectories passes over those in which somebody listens, whichever engine they are of', async () => {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'sockets-')));
  const [live, dead] = [join(parent, 'aw-socket-live'), join(parent, 'aw-socket-dead')];
  await Promise.all([mkdir(live), mkdir(dead)]);
  const server = createServer().listen(join(live, 'gateway.sock'));
  await once(server, 'listening');
  try {
    expect((await findSocketDirectories(parent)).map(({ path }) => path)).toEqual([dead]);
  } finally {
    server.close();
    await once(server, 'close');
    await rm(parent, { recursive: true });
  }
});
