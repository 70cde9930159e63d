import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { ConnectOptions } from '../http/connector.ts';
import { unreachable } from './transport.ts';

/** A node that is lost sends nothing, and so ends no connection. */
const KEEP_ALIVE_MS = 10_000;

/** A socket that is connected. @throws `gateway-unreachable`, and the signal's reason */
export async function openSocket(target: NetConnectOpts, { signal }: ConnectOptions): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({ ...target, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  // Until it is handed over, nobody else listens; whoever takes it sees whether it was destroyed.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    throw unreachable(error instanceof Error ? error.message : String(error), error);
  }
}
