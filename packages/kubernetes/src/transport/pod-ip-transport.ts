import type { Duplex } from 'node:stream';
import type { ConnectOptions } from '@agent-workspace/gateway-client';
import { openSocket } from './open-socket.ts';
import type { Transport } from './transport.ts';

/** What a connection costs where it is one of the kernel's own. */
const CONNECTIONS = 32;

/** The Pod's own address, for a host that is in the cluster's network: a Pod, a node. */
export class PodIpTransport implements Transport {
  readonly kind = 'pod-ip';
  readonly connections: number = CONNECTIONS;
  readonly #target: { readonly host: string; readonly port: number };

  constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
  }

  connect(options: ConnectOptions): Promise<Duplex> {
    return openSocket({ ...this.#target, noDelay: true }, options);
  }
}
