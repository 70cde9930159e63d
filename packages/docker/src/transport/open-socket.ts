import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { ConnectOptions } from '@agent-workspace/gateway-client';
import { unreachable } from './transport.ts';

/** A socket that is connected. @throws `gateway-unreachable`, and the signal's reason */
export async function openSocket(target: NetConnectOpts, { signal }: ConnectOptions): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect(target);
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    // Destroyed before it was connected, a socket may still tell of that.
    socket.on('error', () => undefined);
    socket.destroy();
    signal.throwIfAborted();
    throw unreachable(error instanceof Error ? error.message : String(error), error);
  }
}
