import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ClusterConnection } from './cluster-connection.ts';
import { watch } from './watch.ts';

const GONE = new Error('gone home');

function connectionTo(server: string, connectionOptions: () => object): ClusterConnection {
  return { server, connectionOptions: async () => connectionOptions() } as unknown as ClusterConnection;
}

/** What is told until the end. */
async function all(connection: ClusterConnection, signal: AbortSignal): Promise<readonly unknown[]> {
  return await Array.fromAsync(watch(connection, { path: '/api/v1/pods', query: {}, signal }));
}

describe('watch', () => {
  it('ends quietly where it is aborted while it takes its credentials', async () => {
    const abort = new AbortController();
    const connection = connectionTo('http://127.0.0.1:1', () => {
      abort.abort(GONE);
      return {};
    });
    await expect(all(connection, abort.signal)).rejects.toBe(GONE);
  });

  it.each([false, true])('ends quietly where it is aborted with an answer there or not: %j', async (isAnswered) => {
    const server = createServer((_request, response) => {
      if (isAnswered) response.writeHead(200).flushHeaders();
      server.emit('asked');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const abort = new AbortController();
      const asked = once(server, 'asked');
      const watching = all(
        connectionTo(url, () => ({})),
        abort.signal,
      ).catch((error: unknown) => error);
      await asked;
      abort.abort(GONE);
      expect(await watching).toBe(GONE);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
