import { once } from 'node:events';
import { copyFile, readFile, rename } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';

/** Whose certificate it is. They are in `fixtures/certificates`, each with its key, and are valid from 2020 until 2126. */
export type CertificateName = 'first' | 'second';

/** In an API server's place: it tells a watch whose certificate it was shown, and refuses a stream with the same. */
export class CertificateServer implements AsyncDisposable {
  /** The path of its certificate and key, which is its authority's and its user's, too. */
  readonly certificate: string;
  readonly #server: Server;

  private constructor(directory: string, server: Server) {
    this.#server = server;
    this.certificate = join(directory, 'current.pem');
  }

  static async start(directory: string, name: CertificateName): Promise<CertificateServer> {
    const server = createServer({ requestCert: true, rejectUnauthorized: false }, (request, response) => {
      response.end(`${JSON.stringify({ type: 'ADDED', object: callerOf(request) })}\n`);
    });
    server.on('upgrade', (request, socket) => {
      const said = callerOf(request);
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${said.length}\r\nconnection: close\r\n\r\n${said}`);
    });
    const one = new CertificateServer(directory, server);
    await one.renew(name);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return one;
  }

  get address(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Puts another certificate into the place of the one before. */
  async renew(name: CertificateName): Promise<void> {
    const source = fileURLToPath(new URL(`../fixtures/certificates/${name}.pem`, import.meta.url));
    const pem = await readFile(source);
    this.#server.setSecureContext({ cert: pem, key: pem });
    await copyFile(source, `${this.certificate}.new`);
    await rename(`${this.certificate}.new`, this.certificate);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

function callerOf({ socket }: IncomingMessage): string {
  return String((socket as TLSSocket).getPeerCertificate().subject.CN);
}
