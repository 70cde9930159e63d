import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** Passes requests on, and keeps the account of them. */
export interface CountingProxy extends AsyncDisposable {
  readonly url: string;
  /** As in `POST /v2/sandboxes/{id}/connect`, in their order. */
  readonly routes: string[];
}

function routeOf({ method, url = '/' }: IncomingMessage): string {
  const { pathname } = new URL(url, 'http://localhost');
  return `${method} ${pathname.replace(/\/sandboxes\/[a-z0-9]+/, '/sandboxes/{id}')}`;
}

export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const routes: string[] = [];
  const server = createServer((incoming, outgoing) => {
    routes.push(routeOf(incoming));
    const { method, url = '/', headers } = incoming;
    const onward = request(new URL(url, target), { ...(method !== undefined && { method }), headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, outgoing, () => undefined);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    routes,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
