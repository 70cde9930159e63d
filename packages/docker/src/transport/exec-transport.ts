import type { Duplex } from 'node:stream';
import { type CommandStream, type ConnectOptions, openRelay, RELAY_CONNECTIONS } from '@agent-workspace/gateway-client';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { hasStatus } from '../engine/translate-error.ts';
import { IMAGE_LAYOUT } from '../image/layout.ts';
import type { Transport } from './transport.ts';

export interface ExecTransportOptions {
  readonly engine: DockerEngine;
  readonly containerId: string;
}

/**
 * A command in the container for each connection, which relays it to the gateway's socket. It needs
 * nothing but the engine's API: engines elsewhere, and any network.
 */
export class ExecTransport implements Transport {
  readonly kind = 'exec';
  readonly connections: number = RELAY_CONNECTIONS;
  readonly #engine: DockerEngine;
  readonly #containerId: string;

  constructor({ engine, containerId }: ExecTransportOptions) {
    this.#engine = engine;
    this.#containerId = containerId;
  }

  connect(options: ConnectOptions): Promise<Duplex> {
    const { node, socket } = IMAGE_LAYOUT;
    return openRelay({ node, socket, start: (argv, { signal }) => this.#start(argv, signal) }, options);
  }

  async #start(argv: readonly string[], signal: AbortSignal): Promise<CommandStream> {
    try {
      return await this.#engine.containers.exec(this.#containerId, argv, { signal });
    } catch (error) {
      if (hasStatus(error, 404)) throw new Error('the container is gone', { cause: error });
      if (hasStatus(error, 409)) throw new Error('the container is stopped or paused', { cause: error });
      throw error;
    }
  }
}
