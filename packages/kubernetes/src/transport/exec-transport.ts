import type { Duplex } from 'node:stream';
import { type ConnectOptions, openRelay, RELAY_CONNECTIONS } from '@agent-workspace/gateway-client';
import { GATEWAY_SOCKET, OWN_NODE } from '../bootstrap/layout.ts';
import { ExecStream, type PodReference } from '../exec/exec-stream.ts';
import type { Transport } from './transport.ts';

/**
 * A command in the Pod for each connection, which relays it to the gateway: for a cluster that allows no more, and
 * for a gateway that listens on no network.
 */
export class ExecTransport implements Transport {
  readonly kind = 'exec';
  readonly connections: number = RELAY_CONNECTIONS;
  readonly #pod: PodReference;
  readonly #port: number;

  constructor({ pod, port }: { readonly pod: PodReference; readonly port: number }) {
    this.#pod = pod;
    this.#port = port;
  }

  connect(options: ConnectOptions): Promise<Duplex> {
    const start = (argv: readonly string[], { signal }: ConnectOptions): Promise<ExecStream> =>
      ExecStream.open(this.#pod, argv, { signal });
    return openRelay({ node: OWN_NODE, socket: GATEWAY_SOCKET, port: this.#port, start }, options);
  }
}
