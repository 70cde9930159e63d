import { GatewayConnectionLostError } from '@agent-workspace/core';
import { Pool } from 'undici';
import { type Connector, toUndiciConnector, unreferenced } from './connector.ts';

/** Shorter than the gateway's own, so that it never closes a connection that is about to be used. */
const KEEP_ALIVE_MS = 60_000;

export interface ConnectionsOptions {
  readonly connect: Connector;
  readonly connectMs: number;
  readonly origin: string;
  /** For short requests at once; more wait for one to be free. */
  readonly count: number;
}

/** The connections to a gateway, by what they are for. */
export class Connections {
  readonly short: Pool;
  /** What lasts, a command or the waiting for one, must not keep the rest from a connection. */
  readonly long: Pool;
  /** What goes on for as long as the client lives must not keep the process from ending. */
  readonly background: Pool;

  constructor({ connect, connectMs, origin, count }: ConnectionsOptions) {
    const pool = (connector: Connector, connections: number | null): Pool =>
      new Pool(origin, {
        connect: toUndiciConnector(connector, connectMs),
        connections,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
      });
    this.short = pool(connect, count);
    this.long = pool(connect, null);
    this.background = pool(unreferenced(connect), null);
  }

  /** Drops all of them. */
  async close(): Promise<void> {
    const reason = new GatewayConnectionLostError({ operation: 'the request', reason: 'this host has closed it' });
    await Promise.all([this.short, this.long, this.background].map((pool) => pool.destroy(reason)));
  }
}
