import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayClient, type GatewayClientOptions } from '../src/index.ts';

/** What a peer does once a request's head is there. */
export type Misdeed = (socket: Socket, head: string) => void;

/** Something that listens where a gateway should, and is none. */
export class HostilePeer implements AsyncDisposable {
  /** The first line of each request that came. */
  readonly requests: string[] = [];
  /** Requests whose connection is closed. */
  dropped = 0;
  readonly #server: Server;
  readonly #directory: string;
  readonly #sockets = new Set<Socket>();
  readonly #clients: GatewayClient[] = [];

  static async start(misdeed: Misdeed): Promise<HostilePeer> {
    const directory = await mkdtemp(join(tmpdir(), 'aw-peer-'));
    const peer = new HostilePeer(directory, misdeed);
    peer.#server.listen(join(directory, 'sock'));
    await once(peer.#server, 'listening');
    return peer;
  }

  private constructor(directory: string, misdeed: Misdeed) {
    this.#directory = directory;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
      let head = '';
      socket.on('data', (bytes) => {
        if (head.includes('\r\n\r\n')) return;
        head += bytes.toString('latin1');
        if (!head.includes('\r\n\r\n')) return;
        this.requests.push(head.slice(0, head.indexOf('\r\n')));
        socket.on('close', () => (this.dropped += 1));
        misdeed(socket, head);
      });
    });
  }

  client(options: Partial<GatewayClientOptions> = {}): GatewayClient {
    const client = new GatewayClient({
      connect: async () => {
        const socket = createConnection(join(this.#directory, 'sock'));
        await once(socket, 'connect');
        return socket;
      },
      token: () => 'token',
      deadlines: { connectMs: 500, answerMs: 500, longAnswerMs: 500, silenceMs: 400, abortMs: 200 },
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await rm(this.#directory, { recursive: true });
  }
}

const HEADERS = 'HTTP/1.1 200 OK\r\nContent-Type: ';

/** A whole answer. */
export function answers(body: string | Uint8Array, contentType = 'application/json', status = '200 OK'): Misdeed {
  return (socket) => {
    const length = Buffer.byteLength(body);
    socket.write(`HTTP/1.1 ${status}\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}\r\n`);
    socket.write('Connection: close\r\n\r\n');
    socket.end(body);
  };
}

/** A piece of a chunked answer. */
export function chunk(bytes: string | Uint8Array): Buffer {
  const size = Buffer.byteLength(bytes).toString(16);
  return Buffer.concat([Buffer.from(`${size}\r\n`), Buffer.from(bytes), Buffer.from('\r\n')]);
}

/** A chunked answer that stops in the middle, silently. */
export function begins(body: string | Uint8Array, contentType = 'application/json'): Misdeed {
  return (socket) => {
    socket.write(`${HEADERS}${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    socket.write(chunk(body));
  };
}

/** As {@link begins}, and then hangs up. */
export function breaksOff(body: string | Uint8Array, contentType = 'application/json'): Misdeed {
  return (socket, head) => {
    begins(body, contentType)(socket, head);
    socket.end();
  };
}

/** A chunked answer without an end, a piece now and then. */
export function trickles(piece: string | Uint8Array, contentType = 'application/json'): Misdeed {
  return (socket) => {
    socket.write(`${HEADERS}${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const timer = setInterval(() => socket.write(chunk(piece)), 20);
    socket.on('close', () => clearInterval(timer));
  };
}

/** An answer without an end, as fast as it is taken. */
export function neverEnds(piece: string | Uint8Array, contentType = 'application/json', first = ''): Misdeed {
  return (socket) => {
    socket.write(`${HEADERS}${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    if (first !== '') socket.write(chunk(first));
    const bytes = chunk(piece);
    const more = (): void => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', more);
    more();
  };
}
