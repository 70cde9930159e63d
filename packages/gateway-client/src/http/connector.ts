import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { GatewayUnreachableError } from '@agent-workspace/core';
import type { buildConnector } from 'undici';

export interface ConnectOptions {
  /** Aborted when the connection is not wanted any more, at the latest after the connect deadline. */
  readonly signal: AbortSignal;
}

/**
 * Opens a connection to the gateway: how, is the engine's to know. The peer is the gateway alone,
 * with nothing read from it or written to it before.
 */
export type Connector = (options: ConnectOptions) => Promise<Duplex>;

/** What undici calls on a socket, and what a duplex need not have. */
const SOCKET_METHODS = ['ref', 'unref', 'setKeepAlive', 'setNoDelay', 'setTimeout'] as const;

/** Errors that say that the peer has not read what it was sent. */
const unread = new WeakSet<Error>();

/**
 * Whether a request that one write sends has certainly not been read: where the write itself was
 * refused, or where a unix socket was closed with something unread, which Linux tells by a reset.
 */
export function wasNotRead(error: unknown): boolean {
  return error instanceof Error && unread.has(error);
}

function watchErrors(duplex: Duplex): void {
  // A TCP connection has a family as long as it lasts.
  const isUnixSocket = duplex instanceof Socket && duplex.remoteFamily === undefined;
  duplex.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || (isUnixSocket && error.code === 'ECONNRESET')) unread.add(error);
  });
}

function asSocket(duplex: Duplex): never {
  watchErrors(duplex);
  for (const name of SOCKET_METHODS) {
    if (!(name in duplex)) Object.defineProperty(duplex, name, { value: () => duplex });
  }
  return duplex as never;
}

/** Connections that keep no process from ending. */
export function unreferenced(connect: Connector): Connector {
  return async (options) => {
    const duplex = await connect(options);
    if ('unref' in duplex && typeof duplex.unref === 'function') duplex.unref();
    return Object.defineProperty(duplex, 'ref', { value: () => duplex });
  };
}

/** A duplex that comes too late is let go of; nothing hears of its errors any more. */
function letGo(duplex: Duplex): void {
  duplex.on('error', () => undefined);
  duplex.destroy();
}

async function open(connect: Connector, timeoutMs: number): Promise<Duplex> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const reason = `no connection within ${timeoutMs} ms`;
    const error = new GatewayUnreachableError({ operation: 'a connection', reason });
    controller.abort(error);
    reject(error);
  }, timeoutMs);
  // A connector that fails at once fails like one that fails later.
  const opening = (async () => connect({ signal: controller.signal }))();
  try {
    const duplex = await Promise.race([opening, late]);
    // A client that is given what ended on its way here would wait for answers on it.
    if (duplex.destroyed) throw duplex.errored ?? new Error('the connection ended as soon as it was there');
    return duplex;
  } catch (error) {
    opening.then(letGo, () => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(error: unknown): GatewayUnreachableError {
  if (GatewayUnreachableError.isInstance(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new GatewayUnreachableError({ operation: 'a connection', reason }, { cause: error });
}

/** A connector as undici wants it. Its errors are `gateway-unreachable`. */
export function toUndiciConnector(connect: Connector, timeoutMs: number): buildConnector.connector {
  return (_options, settle) => {
    open(connect, timeoutMs).then(
      (duplex) => settle(null, asSocket(duplex)),
      (error: unknown) => settle(unreachable(error), null),
    );
  };
}
