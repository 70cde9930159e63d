import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A proxy for HTTPS, as companies have one before a cluster. */
export class ConnectProxy implements AsyncDisposable {
  readonly #server: Server = createServer();
  #passed = 0;

  static async start(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    const server = proxy.#server;
    server.on('connect', ({ url = '' }, near, head) => {
      proxy.#passed += 1;
      const { hostname, port } = new URL(`http://${url}`);
      const far = connect({ host: hostname, port: Number(port) }, () => near.write('HTTP/1.1 200 OK\r\n\r\n'));
      far.write(head);
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
      far.on('error', () => near.destroy()).on('close', () => near.destroy());
      near.pipe(far).pipe(near);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections so far. */
  get passed(): number {
    return this.#passed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}
