import type { Duplex } from 'node:stream';
import { CHEAP_CONNECTIONS, type ConnectOptions, openSocket, unreachable } from '@agent-workspace/gateway-client';
import type { DockerEngine } from '../engine/docker-engine.ts';
import type { Transport } from './transport.ts';

export interface PortTransportOptions {
  readonly engine: DockerEngine;
  readonly containerId: string;
  /** The container's. */
  readonly port: number;
}

/**
 * A port of the container's that the engine publishes at a free one of 127.0.0.1. Which one that is
 * may be another after each start of the container, so it is asked for again when it does not answer.
 */
export class PortTransport implements Transport {
  readonly kind = 'port';
  readonly connections: number = CHEAP_CONNECTIONS;
  readonly #options: PortTransportOptions;
  #published: number | undefined;

  constructor(options: PortTransportOptions) {
    this.#options = options;
  }

  async connect(options: ConnectOptions): Promise<Duplex> {
    const known = this.#published;
    if (known !== undefined) {
      try {
        return await openSocket({ host: '127.0.0.1', port: known, noDelay: true }, options);
      } catch (error) {
        options.signal.throwIfAborted();
        this.#published = await this.#look(options);
        if (this.#published === known) throw error;
      }
    }
    this.#published ??= await this.#look(options);
    return openSocket({ host: '127.0.0.1', port: this.#published, noDelay: true }, options);
  }

  async #look({ signal }: ConnectOptions): Promise<number> {
    const { engine, containerId, port } = this.#options;
    const container = await engine.containers.inspect(containerId, { signal });
    const published = container?.ports[`${port}/tcp`]?.find(({ address }) => address === '127.0.0.1');
    if (published === undefined) {
      throw unreachable(
        container === undefined ? 'the container is gone' : `port ${port} of the container is not published`,
      );
    }
    return published.port;
  }
}
