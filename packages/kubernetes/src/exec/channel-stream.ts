import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { statusOf, translateError, translateStatus } from '../cluster/translate-error.ts';

/** What a stream is opened for, and what becomes of its channels. */
export interface ChannelRequest {
  /** Of the API server, with its query. */
  readonly path: string;
  /** What is asked, as it reads after "did not". */
  readonly operation: string;
  readonly protocols: readonly string[];
}

/** Longer than an API server that is busy takes for a pong. */
const HEARTBEAT_MS = 10_000;
const MISSED_HEARTBEATS = 2;

/** What one message carries at the most; servers refuse long ones. */
const MAX_MESSAGE_BYTES = 256 * 1024;

/** The channel that bytes are written to. */
const INPUT = 0;

/** Says that a channel has ended, since the fifth version of the protocol. */
const CLOSE_CHANNEL = 255;
const PROTOCOL_WITH_CLOSE = 'v5.channel.k8s.io';

const ABNORMAL = 1006;

/**
 * A WebSocket to the API server as a stream, whose messages begin with the number of a channel. Flow is controlled
 * both ways, and a connection that has died is noticed by its missing pongs.
 *
 * @see https://kubernetes.io/docs/reference/using-api/websockets/
 */
export abstract class ChannelStream extends Duplex {
  readonly #socket: WebSocket;
  readonly #heartbeat: NodeJS.Timeout;
  #missed = 0;
  #tcp: Socket | undefined;
  #isReferenced = true;
  /** Told with the end of the connection: until then there may be something left to read. */
  #failure: Error | undefined;

  /** @param socket one that is being opened: nothing of it must be missed */
  protected constructor(socket: WebSocket) {
    // When the other side has ended it, nobody reads what would still be written.
    super({ allowHalfOpen: false });
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      this.#missed = 0;
      if (data.length > 0 && data[0] !== CLOSE_CHANNEL) this.onMessage(data[0] ?? 0, data.subarray(1));
    });
    socket.on('pong', () => {
      this.#missed = 0;
    });
    socket.on('error', (error) => {
      this.#failure = error;
    });
    socket.on('close', (code, reason) => {
      if (this.#failure !== undefined && !this.isOver) this.destroy(this.#failure);
      else this.ended(code === ABNORMAL ? 'it broke' : reason.toString());
    });
    socket.on('upgrade', (response) => {
      this.#tcp = response.socket;
      if (!this.#isReferenced) this.unref();
    });
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  /** What came by a channel. */
  protected abstract onMessage(channel: number, payload: Buffer): void;

  /** All has come that is to come, whatever becomes of the connection. */
  protected get isOver(): boolean {
    return false;
  }

  /** The connection is closed, for whatever reason. */
  protected abstract ended(reason: string): void;

  /** Whether one side of it can be ended alone. */
  protected get endsInput(): boolean {
    return this.#socket.protocol === PROTOCOL_WITH_CLOSE;
  }

  /** Passes on what came, and waits with the rest while nobody takes it. */
  protected receive(payload: Buffer): void {
    if (payload.length > 0 && !this.push(payload)) this.#socket.pause();
  }

  protected closeConnection(): void {
    this.#socket.close();
  }

  override _read(): void {
    if (this.#socket.isPaused) this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    const send = (from: number): void => {
      const part = chunk.subarray(from, from + MAX_MESSAGE_BYTES);
      const message = Buffer.allocUnsafe(part.length + 1);
      message[0] = INPUT;
      part.copy(message, 1);
      const next = from + part.length;
      this.#send(message, () => (next >= chunk.length ? callback() : send(next)));
    };
    send(0);
  }

  override _final(callback: (error?: Error | null) => void): void {
    if (this.endsInput && this.#socket.readyState === WebSocket.OPEN) {
      this.#send(Buffer.from([CLOSE_CHANNEL, INPUT]), () => callback());
    } else {
      callback();
    }
  }

  /**
   * What cannot be sent is no failure by itself: whoever is at the other end may have heard enough, and what it has
   * said is still to be read. The end of the connection follows, and tells it.
   */
  #send(message: Buffer, sent: () => void): void {
    this.#socket.send(message, (error) => {
      if (error) this.#failure ??= error;
      sent();
    });
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#heartbeat);
    this.#socket.terminate();
    callback(error);
  }

  ref(): this {
    this.#isReferenced = true;
    this.#tcp?.ref();
    return this;
  }

  unref(): this {
    this.#isReferenced = false;
    this.#tcp?.unref();
    return this;
  }

  /** What is not read is not answered either. */
  #beat(): void {
    if (this.#socket.readyState !== WebSocket.OPEN || this.#socket.isPaused) return;
    this.#missed += 1;
    if (this.#missed > MISSED_HEARTBEATS) this.destroy(new Error('the API server does not answer any more'));
    else this.#socket.ping();
  }
}

/**
 * Opens a stream.
 *
 * @param make makes it of the socket, before anything has come
 * @throws `kubernetes-refused`, `kubernetes-unavailable`, and the signal's reason
 */
export async function openChannels<T extends ChannelStream>(
  connection: ClusterConnection,
  { path, operation, protocols }: ChannelRequest,
  make: (socket: WebSocket) => T,
  { signal }: { readonly signal: AbortSignal },
): Promise<T> {
  const options = await connection.connectionOptions();
  signal.throwIfAborted();
  const { server } = connection;
  const url = `${server.replace(/^http/, 'ws').replace(/\/$/, '')}${path}`;
  const socket = new WebSocket(url, [...protocols], { ...options, perMessageDeflate: false, followRedirects: false });
  const stream = make(socket);
  const abort = (): void => void stream.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      stream.once('error', reject);
      stream.once('close', () => reject(new Error('the connection was closed before it was there')));
      socket.once('unexpected-response', (_request, response) => {
        refusal(response, { operation, server }).then(reject, reject);
      });
    });
    return stream;
  } catch (error) {
    stream.on('error', () => undefined).destroy();
    signal.throwIfAborted();
    throw translateError(error, operation, server);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function refusal(
  response: IncomingMessage,
  context: { readonly operation: string; readonly server: string },
): Promise<Error> {
  const body = await text(response);
  return translateStatus(response.statusCode ?? 0, statusOf(body), context);
}
