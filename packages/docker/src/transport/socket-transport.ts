import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { CHEAP_CONNECTIONS, type ConnectOptions, openSocket, unreachable } from '@agent-workspace/gateway-client';
import { IMAGE_LAYOUT } from '../image/layout.ts';
import { O_PATH } from './o-path.ts';
import type { Transport } from './transport.ts';

export interface SocketTransportOptions {
  /** The directory of this host that is mounted for the socket. */
  readonly directory: string;
  /** Whom the container runs as, and so whose the socket is. */
  readonly uid: number;
}

/**
 * A unix socket in a directory that host and container share. The container may put anything in the
 * socket's place, such as a link to the engine's own socket: so the name is opened without following
 * it, what was opened is looked at, and that very thing is connected to.
 */
export class SocketTransport implements Transport {
  readonly kind = 'socket';
  readonly connections: number = CHEAP_CONNECTIONS;
  readonly #path: string;
  readonly #uid: number;

  constructor({ directory, uid }: SocketTransportOptions) {
    this.#path = join(directory, basename(IMAGE_LAYOUT.socket));
    this.#uid = uid;
  }

  async connect(options: ConnectOptions): Promise<Duplex> {
    const held = await this.#hold();
    try {
      return await openSocket({ path: `/proc/self/fd/${held.fd}` }, options);
    } finally {
      await held.close();
    }
  }

  async #hold(): Promise<FileHandle> {
    let held: FileHandle;
    try {
      held = await open(this.#path, O_PATH | constants.O_NOFOLLOW);
    } catch (error) {
      throw unreachable(`the socket ${this.#path} cannot be opened`, error);
    }
    const facts = await held.stat();
    if (facts.isSocket() && facts.uid === this.#uid) return held;
    await held.close();
    throw unreachable(
      facts.isSocket()
        ? `${this.#path} belongs to user ${facts.uid} instead of ${this.#uid}`
        : `${this.#path} is no socket; something in the container has replaced it`,
    );
  }
}
