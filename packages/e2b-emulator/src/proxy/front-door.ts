import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificate } from './certificate.ts';

/** How TLS begins, and no method of HTTP does. */
const TLS_HANDSHAKE = 0x16;

export interface FrontDoorOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly certificate: Certificate;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** One port for http and https: the first byte tells them apart. */
export class FrontDoor {
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly port: number;

  private constructor(server: Server, sockets: Set<Socket>, port: number) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = port;
  }

  static async open({ host, port, certificate, onRequest, onUpgrade }: FrontDoorOptions): Promise<FrontDoor> {
    // Requests may take as long as their callers like: uploads, streams, commands.
    const timeless = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 60_000 };
    const plain = createHttpServer(timeless, onRequest);
    const secure = createHttpsServer(
      { ...timeless, cert: certificate.certificate, key: certificate.privateKey },
      onRequest,
    );
    for (const server of [plain, secure]) server.on('upgrade', onUpgrade);
    const sockets = new Set<Socket>();
    const server = createServer({ noDelay: true }, (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      const onError = (): void => void socket.destroy();
      socket.once('error', onError);
      // By this event rather than `data`, the bytes stay where they are.
      socket.once('readable', () => {
        const first = socket.read(1) as Buffer | null;
        socket.off('error', onError);
        if (first === null) {
          socket.destroy();
          return;
        }
        socket.unshift(first);
        (first[0] === TLS_HANDSHAKE ? secure : plain).emit('connection', socket);
      });
    });
    server.listen(port, host);
    await once(server, 'listening');
    const address = server.address();
    return new FrontDoor(server, sockets, typeof address === 'object' && address !== null ? address.port : port);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
