import { chmodSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What the relay answers to a port number: the connection stands, or nothing listens there. */
export const RELAY_CONNECTED = '+';
const RELAY_CLOSED = '-';

/** Dev servers bind `localhost`, which is either of these. */
const LOOPBACKS = ['127.0.0.1', '::1'];
const LONGEST_PORT = 5;

/**
 * Lets whoever reaches a unix socket reach every TCP port of this side's localhost. A caller writes
 * the port and a newline, gets one byte back, and from there on the bytes are the port's.
 */
export function startRelay(path: string): Server {
  const server = createServer({ allowHalfOpen: true }, (caller) => {
    caller.on('error', () => caller.destroy());
    let head = '';
    const onData = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      const end = head.indexOf('\n');
      if (end < 0 && head.length <= LONGEST_PORT) return;
      caller.off('data', onData);
      caller.pause();
      if (end >= 0 && end + 1 < head.length) caller.unshift(Buffer.from(head.slice(end + 1), 'latin1'));
      const port = end < 0 ? Number.NaN : Number(head.slice(0, end));
      if (!(port > 0 && port < 65_536)) caller.end(RELAY_CLOSED);
      else dial(port, LOOPBACKS, caller);
    };
    caller.on('data', onData);
  });
  // The caller is another user than the one in here; the directory around the socket keeps others out.
  server.listen(path, () => chmodSync(path, 0o666));
  return server;
}

function dial(port: number, [host, ...others]: readonly string[], caller: Socket): void {
  if (host === undefined) {
    caller.end(RELAY_CLOSED);
    return;
  }
  const callee = connect({ port, host, allowHalfOpen: true, noDelay: true });
  const onRefused = (): void => dial(port, others, caller);
  callee.once('error', onRefused);
  callee.once('connect', () => {
    callee.off('error', onRefused);
    callee.on('error', () => caller.destroy());
    callee.on('close', () => caller.destroySoon());
    caller.on('close', () => callee.destroy());
    caller.write(RELAY_CONNECTED);
    caller.pipe(callee);
    callee.pipe(caller);
  });
}
