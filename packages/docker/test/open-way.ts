import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { DockerEngine } from '../src/engine/docker-engine.ts';

/** A second socket of an engine's. @returns what cuts it, with all that is under way */
export async function openWay(path: string, engine: DockerEngine): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket =>
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  const server = createServer((near) => {
    const far = connect(engine.address.slice('unix://'.length));
    for (const socket of [near, far]) sockets.add(keep(socket));
    near.pipe(far).pipe(near);
  });
  await once(server.listen(path), 'listening');
  return async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
}
