import type { Duplex } from 'node:stream';
import { GatewayUnreachableError } from '@agent-workspace/core';
import type { ConnectOptions } from '@agent-workspace/gateway-client';

export type TransportKind = 'pod-ip' | 'port-forward' | 'exec';

/** A way from this host to the gateway in a Pod. */
export interface Transport {
  readonly kind: TransportKind;
  /** How many connections short requests may share. */
  readonly connections: number;
  /** @throws `gateway-unreachable`, and the signal's reason */
  connect(options: ConnectOptions): Promise<Duplex>;
}

export function unreachable(reason: string, cause?: unknown): GatewayUnreachableError {
  return new GatewayUnreachableError({ operation: 'a connection', reason }, { cause });
}
