import { connect, type Socket } from 'node:net';
import { RELAY_CONNECTED } from '../relay/relay.ts';
import { PortClosedError } from './port-closed-error.ts';

/**
 * Reaches a port through the relay at that socket.
 *
 * @throws {PortClosedError} if nothing listens there, or no relay does
 */
export function dialRelay(path: string, port: number): Promise<Socket> {
  return dial(connect(path), port, (socket, settle) => {
    socket.write(`${port}\n`);
    // By this event rather than `data`, the bytes behind the answer stay where they are.
    socket.once('readable', () => {
      const answer = socket.read(1) as Buffer | null;
      settle(answer?.toString('latin1') === RELAY_CONNECTED);
    });
  });
}

/** Reaches a port, or a socket, of this machine. */
export function dialDirectly(
  address: { readonly port: number; readonly host: string } | { readonly path: string },
  port: number,
): Promise<Socket> {
  return dial(connect(address), port, (_socket, settle) => settle(true));
}

function dial(
  socket: Socket,
  port: number,
  onConnect: (socket: Socket, settle: (isOpen: boolean) => void) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: Error): void => {
      socket.destroy();
      reject(new PortClosedError(port, { cause }));
    };
    socket.setNoDelay(true);
    socket.once('error', fail);
    socket.once('close', fail);
    socket.once('connect', () =>
      onConnect(socket, (isOpen) => {
        if (!isOpen) return fail();
        socket.off('error', fail);
        socket.off('close', fail);
        // Whoever uses it may come to listen a tick later.
        socket.on('error', () => socket.destroy());
        resolve(socket);
      }),
    );
  });
}
