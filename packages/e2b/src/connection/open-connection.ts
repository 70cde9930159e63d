import { once } from 'node:events';
import { createConnection, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConnectOptions } from '@agent-workspace/gateway-client';
import type { SandboxAddress } from './sandbox-route.ts';

/** A connection to E2B's proxy. */
export async function openConnection(
  { protocol, hostname, port }: SandboxAddress,
  { signal }: ConnectOptions,
): Promise<Socket> {
  signal.throwIfAborted();
  const isTls = protocol === 'https:';
  const socket = isTls
    ? connectTls({
        host: hostname,
        port,
        ALPNProtocols: ['http/1.1'],
        ...(isIP(hostname) === 0 && { servername: hostname }),
      })
    : createConnection({ host: hostname, port });
  const onAbort = (): void => void socket.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal });
    socket.setNoDelay(true);
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
