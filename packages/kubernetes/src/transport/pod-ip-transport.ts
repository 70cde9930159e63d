import type { Duplex } from 'node:stream';
import { CHEAP_CONNECTIONS, type ConnectOptions, openSocket } from '@agent-workspace/gateway-client';
import type { Transport } from './transport.ts';

/** The Pod's own address, for a host that is in the cluster's network: a Pod, a node. */
export class PodIpTransport implements Transport {
  readonly kind = 'pod-ip';
  readonly connections: number = CHEAP_CONNECTIONS;
  readonly #target: { readonly host: string; readonly port: number };

  constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
  }

  connect(options: ConnectOptions): Promise<Duplex> {
    return openSocket({ ...this.#target, noDelay: true }, options);
  }
}
