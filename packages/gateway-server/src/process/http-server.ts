import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from '@agent-workspace/core';
import type { GatewayAddress } from './arguments.ts';
import { listenOnSocket } from './listen-on-socket.ts';

/** Longer than any pool keeps a connection, so that it is never ours that closes one which is about to be used. */
const KEEP_ALIVE_MS = 600_000;
/** From a connection's first byte to the end of the headers. */
const HEADERS_TIMEOUT_MS = 30_000;
const MAX_HEADER_BYTES = 32 * 1024;
/** All addresses of this machine. */
const ANY_HOST = '::';

export interface HttpServerOptions {
  readonly listener: RequestListener;
  readonly logger: Logger;
}

/** What HTTP's parser does not take never becomes a request. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** HTTP/1.1 over a unix socket or a port. */
export class HttpServer {
  readonly #server: Server;
  readonly #logger: Logger;

  constructor({ listener, logger }: HttpServerOptions) {
    this.#logger = logger;
    this.#server = createServer(
      {
        keepAliveTimeout: KEEP_ALIVE_MS,
        headersTimeout: HEADERS_TIMEOUT_MS,
        // A body may be the stdin of a command, and take as long as that runs.
        requestTimeout: 0,
        maxHeaderSize: MAX_HEADER_BYTES,
        // It is missed below, where the answer can say so.
        requireHostHeader: false,
        noDelay: true,
      },
      listener,
    );
    this.#server.on('clientError', refuse);
  }

  /** @returns the port, if it is one */
  async listen(address: GatewayAddress): Promise<number | undefined> {
    if (address.kind === 'socket') await listenOnSocket(this.#server, address.path);
    else {
      // With no host named, Node takes IPv4 alone where there is no IPv6, and both where there is.
      this.#server.listen(address.port, address.host === ANY_HOST ? undefined : address.host);
      await once(this.#server, 'listening');
    }
    this.#server.on('error', (error) => this.#logger.error('The HTTP server failed', { error }));
    return address.kind === 'port' ? (this.#server.address() as AddressInfo).port : undefined;
  }

  /** Takes no more connections; those that are open see the end of the process. */
  stopListening(): void {
    this.#server.close();
  }
}
