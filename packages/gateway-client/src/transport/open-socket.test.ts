import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openSocket } from './open-socket.ts';

describe('openSocket', () => {
  it('disturbs nobody where the peer is killed before the socket is handed over', async () => {
    const accepted = Promise.withResolvers<Socket>();
    await using server = createServer((socket) => accepted.resolve(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = await openSocket({ host: '127.0.0.1', port }, { signal: AbortSignal.timeout(10_000) });
    (await accepted.promise).resetAndDestroy();
    await new Promise((resolve) => {
      socket.once('close', resolve);
    });
    expect(socket.errored).toMatchObject({ code: 'ECONNRESET' });
  });
});
