import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { kubeconfigWith, readAccess } from './kubeconfig.ts';

/** One connection by the proxy, both sides of it. */
interface Passage {
  readonly near: Socket;
  readonly far: Socket;
  isSwallowed: boolean;
}

/** A network between a host and the API server, of which anything can become. TLS goes through it. */
export class TcpProxy implements AsyncDisposable {
  readonly server: string;
  readonly kubeconfig: string;
  readonly #listener: Server;
  readonly #open: Set<Passage>;
  readonly #state: { swallowsNew: boolean; accepted: number };

  private constructor(
    server: string,
    kubeconfig: string,
    listener: Server,
    open: Set<Passage>,
    state: { swallowsNew: boolean; accepted: number },
  ) {
    this.kubeconfig = kubeconfig;
    this.server = server;
    this.#listener = listener;
    this.#open = open;
    this.#state = state;
  }

  static async start(): Promise<TcpProxy> {
    const { hostname, port } = new URL((await readAccess()).cluster.server);
    const open = new Set<Passage>();
    const state = { swallowsNew: false, accepted: 0 };
    const listener = createServer((near) => {
      state.accepted += 1;
      pass(near, connect({ host: hostname, port: Number(port) }), open, state.swallowsNew);
    });
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    const server = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    return new TcpProxy(server, await kubeconfigWith({ cluster: { server } }), listener, open, state);
  }

  /** Connections so far. */
  get accepted(): number {
    return this.#state.accepted;
  }

  /** Nothing goes through connections any more, of which no side is told. Later ones are as good as ever. */
  swallowOpen(): void {
    for (const passage of this.#open) passage.isSwallowed = true;
  }

  /** The same, and later ones are accepted and never answered. */
  swallowAll(): void {
    this.swallowOpen();
    this.#state.swallowsNew = true;
  }

  /** Later connections are passed on again. */
  passNew(): void {
    this.#state.swallowsNew = false;
  }

  /** Both sides see that a connection is broken. */
  reset(): void {
    for (const { near, far } of this.#open) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.reset();
    await once(this.#listener, 'close');
  }
}

function pass(near: Socket, far: Socket, open: Set<Passage>, isSwallowed: boolean): void {
  const passage: Passage = { near, far, isSwallowed };
  open.add(passage);
  const sides: readonly (readonly [Socket, Socket])[] = [
    [near, far],
    [far, near],
  ];
  for (const [from, to] of sides) {
    from.setNoDelay(true);
    from.on('data', (chunk) => {
      if (passage.isSwallowed || to.write(chunk)) return;
      from.pause();
      to.once('drain', () => from.resume());
    });
    // Whoever uses the connection sees what became of it.
    from.on('error', () => undefined);
    from.on('end', () => passage.isSwallowed || to.end());
    from.on('close', () => {
      if (!passage.isSwallowed) to.destroy();
      if (near.destroyed && far.destroyed) open.delete(passage);
    });
  }
}
