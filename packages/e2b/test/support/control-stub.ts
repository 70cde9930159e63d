import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface StubSandbox {
  readonly sandboxID: string;
  readonly templateID: string;
  readonly alias?: string;
  readonly startedAt: string;
  readonly metadata: Readonly<Record<string, string>>;
  state: 'running' | 'paused';
}

export interface StubRequest {
  /** As in `POST /v2/sandboxes`. */
  readonly route: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface StubAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const NOT_FOUND: StubAnswer = { status: 404, body: { code: 404, message: 'not found' } };

/** A control plane without sandboxes behind it, whose answers a test can put its own in place of. */
export class ControlStub implements AsyncDisposable {
  readonly sandboxes: StubSandbox[] = [];
  readonly requests: StubRequest[] = [];
  pageSize = 2;
  /** Whether a list goes by the metadata that it is asked for. */
  filters = true;
  /** Asked before the stub's own answer. */
  answer: (request: StubRequest) => StubAnswer | 'none' | 'drop' | undefined = () => undefined;
  readonly #server: Server;
  #made = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ControlStub> {
    const server = createServer();
    const stub = new ControlStub(server);
    server.on('request', (request, response) => void stub.#handle(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How often each route was asked. */
  get routes(): readonly string[] {
    return this.requests.map(({ route }) => route);
  }

  add(sandbox: Partial<StubSandbox> & Pick<StubSandbox, 'metadata'>): StubSandbox {
    this.#made += 1;
    const added: StubSandbox = {
      sandboxID: `i${this.#made}`,
      templateID: 't1',
      startedAt: new Date().toISOString(),
      state: 'running',
      ...sandbox,
    };
    this.sandboxes.push(added);
    return added;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', this.url);
    const hasBody = incoming.method === 'POST';
    const body = hasBody ? ((await json(incoming)) as Readonly<Record<string, unknown>>) : {};
    const path = url.pathname.replace(/\/i\w+/, '/{id}');
    const request: StubRequest = { route: `${incoming.method} ${path}`, query: url.searchParams, body };
    this.requests.push(request);
    const id = /\/(i\w+)/.exec(url.pathname)?.[1];
    const answer = this.answer(request) ?? this.#own(request, id);
    if (answer === 'none') return;
    if (answer === 'drop') {
      incoming.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  }

  #own({ route, query, body }: StubRequest, id: string | undefined): StubAnswer {
    const sandbox = this.sandboxes.find(({ sandboxID }) => sandboxID === id);
    switch (route) {
      case 'GET /v2/sandboxes':
        return this.#page(query);
      case 'POST /v2/sandboxes': {
        const metadata = body['metadata'] as Record<string, string>;
        return { status: 201, body: connected(this.add({ metadata, templateID: String(body['templateID']) })) };
      }
      case 'POST /v2/sandboxes/{id}/connect':
        if (sandbox === undefined) return NOT_FOUND;
        sandbox.state = 'running';
        return { status: 200, body: connected(sandbox) };
      case 'GET /sandboxes/{id}':
        return sandbox === undefined ? NOT_FOUND : { status: 200, body: sandbox };
      case 'POST /sandboxes/{id}/pause':
        if (sandbox === undefined) return NOT_FOUND;
        sandbox.state = 'paused';
        return { status: 204 };
      case 'DELETE /sandboxes/{id}':
        if (sandbox === undefined) return NOT_FOUND;
        this.sandboxes.splice(this.sandboxes.indexOf(sandbox), 1);
        return { status: 204 };
      default:
        return { status: 501, body: { code: 501, message: `the stub has no ${route}` } };
    }
  }

  #page(query: URLSearchParams): StubAnswer {
    const asked = [...new URLSearchParams(query.get('metadata') ?? '')].map(([key, value]) => [
      decodeURIComponent(key),
      decodeURIComponent(value),
    ]);
    const matching = this.sandboxes.filter(
      ({ metadata }) => !this.filters || asked.every(([key = '', value]) => metadata[key] === value),
    );
    const from = Number(query.get('nextToken') ?? 0);
    const to = from + this.pageSize;
    return {
      status: 200,
      headers: to < matching.length ? { 'x-next-token': String(to) } : {},
      body: matching.slice(from, to),
    };
  }
}

function connected({ sandboxID, templateID }: StubSandbox): object {
  return { sandboxID, templateID, clientID: 'c', envdVersion: '0.6.13', envdAccessToken: 'e', trafficAccessToken: 't' };
}
