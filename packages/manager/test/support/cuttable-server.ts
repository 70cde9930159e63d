import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The API server of a kubeconfig by another port, which can be cut off and opened again. */
export class CuttableServer implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  /** The kubeconfig by which it is reached. */
  readonly kubeconfig: string;
  #isCut = false;

  private constructor(server: Server, kubeconfig: string) {
    this.#server = server;
    this.kubeconfig = kubeconfig;
  }

  static async start(path: string): Promise<CuttableServer> {
    const text = await readFile(path, 'utf8');
    const [, host = '', port = ''] = /https:\/\/([\d.]+):(\d+)/.exec(text) ?? [];
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port: own } = server.address() as AddressInfo;
    const cuttable = new CuttableServer(server, text.replaceAll(`${host}:${port}`, `127.0.0.1:${own}`));
    server.on('connection', (socket) => cuttable.#take(socket, { host, port: Number(port) }));
    return cuttable;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  open(): void {
    this.#isCut = false;
  }

  #take(socket: Socket, to: { readonly host: string; readonly port: number }): void {
    const onwards = connect(to);
    for (const end of [socket, onwards]) {
      this.#sockets.add(end);
      // The other one's end is its own.
      end.on('error', () => end.destroy());
      end.on('close', () => {
        this.#sockets.delete(end);
        socket.destroy();
        onwards.destroy();
      });
    }
    if (this.#isCut) socket.destroy();
    else socket.pipe(onwards).pipe(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
