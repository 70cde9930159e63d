import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { upgradeHeaders } from './forwarded-headers.ts';
import type { ProxyAnswer } from './proxy-answer.ts';

export interface ForwardUpgradeOptions {
  readonly request: IncomingMessage;
  /** The caller's side. */
  readonly socket: Duplex;
  /** What the caller has sent already in the new protocol. */
  readonly head: Buffer;
  readonly connection: Duplex;
  readonly host: string | undefined;
  readonly track: (cut: () => void) => () => void;
}

/** Passes a request for another protocol on, and from then on every byte of both sides. */
export function forwardUpgrade({ request, socket, head, connection, host, track }: ForwardUpgradeOptions): void {
  const cut = (): void => {
    connection.destroy();
    socket.destroy();
  };
  const untrack = track(cut);
  const headers = upgradeHeaders(request.rawHeaders, host);
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/1.1`];
  for (let index = 0; index + 1 < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  connection.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  connection.write(head);
  for (const side of [socket, connection]) {
    side.once('error', cut);
    side.once('close', () => {
      untrack();
      cut();
    });
  }
  connection.pipe(socket);
  socket.pipe(connection);
}

/** Refuses one. */
export function refuseUpgrade(socket: Duplex, { status, contentType, body }: ProxyAnswer): void {
  socket.end(
    [
      `HTTP/1.1 ${status} `,
      `Content-Type: ${contentType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
