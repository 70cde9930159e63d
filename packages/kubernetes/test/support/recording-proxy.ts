import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Access, kubeconfigWith, readAccess } from './kubeconfig.ts';

/** Stands before the API server, without TLS, and keeps what an audit log of the server would have. */
export class RecordingProxy implements AsyncDisposable {
  readonly kubeconfig: string;
  /** Methods and URIs, as they came. */
  readonly requests: readonly string[];
  readonly #server: Server;

  private constructor(kubeconfig: string, server: Server, requests: readonly string[]) {
    this.kubeconfig = kubeconfig;
    this.requests = requests;
    this.#server = server;
  }

  static async start(): Promise<RecordingProxy> {
    const access = await readAccess();
    const requests: string[] = [];
    const record = ({ method = '', url = '' }: IncomingMessage): void => void requests.push(`${method} ${url}`);
    const server = createServer((incoming, answer) => {
      record(incoming);
      const outgoing = requestSecure(urlOf(incoming, access), { ...optionsOf(incoming, access) }, (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        answer.flushHeaders();
        response.pipe(answer);
      });
      outgoing.on('error', () => answer.destroy());
      answer.on('close', () => outgoing.destroy());
      incoming.pipe(outgoing);
    });
    server.on('upgrade', (incoming, socket, head) => {
      record(incoming);
      upgrade(incoming, socket, head, access);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const cluster = { server: address, 'insecure-skip-tls-verify': true };
    return new RecordingProxy(await kubeconfigWith({ cluster, user: {} }), server, requests);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

function urlOf({ url = '' }: IncomingMessage, { cluster }: Access): URL {
  return new URL(url, cluster.server);
}

function optionsOf(incoming: IncomingMessage, { cluster, user }: Access): Parameters<typeof requestSecure>[1] {
  const decode = (text = ''): Buffer => Buffer.from(text, 'base64');
  return {
    method: incoming.method,
    headers: incoming.headers,
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  };
}

function upgrade(incoming: IncomingMessage, near: Duplex, head: Buffer, access: Access): void {
  const outgoing = requestSecure(urlOf(incoming, access), { ...optionsOf(incoming, access) });
  near.on('error', () => outgoing.destroy());
  outgoing.on('error', () => near.destroy());
  outgoing.on('upgrade', (response, far, farHead) => {
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.write(`HTTP/1.1 101 Switching Protocols\r\n${rawHeaders(response)}\r\n\r\n`);
    near.write(farHead);
    far.write(head);
    far.pipe(near);
    near.pipe(far);
  });
  outgoing.on('response', (response) => {
    near.write(`HTTP/1.1 ${response.statusCode} ${response.statusMessage}\r\n${rawHeaders(response)}\r\n\r\n`);
    response.pipe(near);
  });
  outgoing.end();
}

function rawHeaders({ rawHeaders: raw }: IncomingMessage): string {
  const lines: string[] = [];
  for (let index = 0; index < raw.length; index += 2) lines.push(`${raw[index]}: ${raw[index + 1]}`);
  return lines.join('\r\n');
}
