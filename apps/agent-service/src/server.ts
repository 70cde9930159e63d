import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { App } from './http/app-env.ts';

/** A port that is listened to. */
export interface Listening extends AsyncDisposable {
  readonly url: string;
}

/** Longer than proxies keep a connection that they may use again, so that none is closed under a request. */
const KEEP_ALIVE_MS = 75_000;
/** For the ends of answers to reach their clients. */
const LAST_WORDS_MS = 5_000;

/** @throws where the port is taken */
export async function listen(
  app: App,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const answer = getRequestListener(app.fetch);
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => void answer(request, response),
  );
  // Uploads and events may take as long as they like.
  server.requestTimeout = 0;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${shown}:${address.port}`, [Symbol.asyncDispose]: () => close(server) };
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  // All that has an end of its own has come to it, and is on its way; whoever reads on is cut off.
  const cutOff = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS);
  await closed;
  clearTimeout(cutOff);
}
