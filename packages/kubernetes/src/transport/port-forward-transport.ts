import type { Duplex } from 'node:stream';
import { type ConnectOptions, unreachable } from '@agent-workspace/gateway-client';
import type { PodReference } from '../exec/exec-stream.ts';
import { PortForwardStream } from '../exec/port-forward-stream.ts';
import type { Transport } from './transport.ts';

/** Each is a WebSocket by way of the API server and the node, and nothing in the Pod. */
const CONNECTIONS = 16;

/** A port of the Pod, forwarded by the API server: nothing but its API is needed, and nothing runs in the Pod for it. */
export class PortForwardTransport implements Transport {
  readonly kind = 'port-forward';
  readonly connections: number = CONNECTIONS;
  readonly #pod: PodReference;
  readonly #port: number;

  constructor({ pod, port }: { readonly pod: PodReference; readonly port: number }) {
    this.#pod = pod;
    this.#port = port;
  }

  async connect({ signal }: ConnectOptions): Promise<Duplex> {
    try {
      return await PortForwardStream.open(this.#pod, this.#port, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable((error as Error).message, error);
    }
  }
}
