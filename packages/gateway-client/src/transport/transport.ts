import type { Duplex } from 'node:stream';
import { GatewayUnreachableError } from '@agent-workspace/core';
import type { ConnectOptions } from '../http/connector.ts';

/** A way from this host to the gateway in a sandbox, of one of the kinds that an engine has. */
export interface Transport<Kind extends string = string> {
  readonly kind: Kind;
  /** How many connections short requests may share. */
  readonly connections: number;
  /** @throws `gateway-unreachable`, and the signal's reason */
  connect(options: ConnectOptions): Promise<Duplex>;
}

/** What a connection costs where it is one of the kernel's own. */
export const CHEAP_CONNECTIONS = 32;

export function unreachable(reason: string, cause?: unknown): GatewayUnreachableError {
  return new GatewayUnreachableError({ operation: 'a connection', reason }, { cause });
}
