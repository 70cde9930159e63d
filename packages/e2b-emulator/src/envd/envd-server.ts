import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { authenticate } from './authenticate.ts';
import { createConnectHandler } from './connect/connect-handler.ts';
import { allowCrossOrigin } from './cross-origin.ts';
import { createEnvdState, type EnvdState } from './envd-state.ts';
import { createFilesHandler } from './files/files-handler.ts';
import { createFilesystemService } from './filesystem/filesystem-service.ts';
import { InitHandler } from './initialise.ts';
import { MetricsReader } from './metrics.ts';
import { createProcessService } from './process/process-service.ts';
import { readRest } from './read-rest.ts';
import { sameToken } from './same-token.ts';

/** Longer than any proxy keeps a connection, so that none is closed under a request. */
const IDLE_TIMEOUT_MS = 640_000;
/** What needs no token: the files have signatures as well, and `/init` looks at the token itself. */
const OPEN_ROUTES: readonly string[] = ['GET /health', 'GET /files', 'POST /files', 'POST /init'];

export interface Envd {
  readonly server: Server;
  /** Ends all processes, and all connections. */
  close(): Promise<void>;
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'cache-control': 'no-store', 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}

function sendNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end('404 page not found\n');
}

export interface EnvdOptions {
  /** Where a sandbox finds its own id, `/run/e2b`. Without it no such files are written. */
  readonly runDirectory?: string | undefined;
}

/** The agent inside a sandbox: its processes and files over HTTP. It is not listening yet. */
export function createEnvd({ runDirectory }: EnvdOptions = {}): Envd {
  const state: EnvdState = createEnvdState();
  const services = [createProcessService(state), createFilesystemService(state)];
  const serveFiles = createFilesHandler(state);
  const serveConnect = createConnectHandler({ services, authenticate: (headers) => authenticate(headers, state) });
  const metrics = new MetricsReader();
  const init = new InitHandler({ state, runDirectory });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (allowCrossOrigin(request, response)) return;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const route = `${request.method} ${url.pathname}`;
    const { accessToken } = state;
    if (accessToken !== undefined && !OPEN_ROUTES.includes(route)) {
      if (!sameToken(request.headers['x-access-token'], accessToken)) {
        await readRest(request);
        const message = 'unauthorized access, please provide a valid access token or method signing if supported';
        sendJson(response, 401, { code: 401, message });
        return;
      }
    }
    switch (route) {
      case 'GET /health':
        response.writeHead(204, { 'cache-control': 'no-store' }).end();
        return;
      case 'POST /init':
        await init.handle(request, response);
        return;
      case 'GET /metrics':
        sendJson(response, 200, await metrics.read());
        return;
      case 'GET /envs':
        sendJson(response, 200, state.envs);
        return;
      case 'GET /files':
      case 'POST /files':
      case 'POST /files/compose':
        await serveFiles(request, response, url);
        return;
      default:
        if (await serveConnect(request, response, url.pathname)) return;
        await readRest(request);
        sendNotFound(response);
    }
  }

  const server = createServer({ requestTimeout: 0, keepAliveTimeout: IDLE_TIMEOUT_MS }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`envd: ${request.method} ${request.url}: ${String(error)}\n`);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { code: 500, message: error instanceof Error ? error.message : String(error) });
    });
  });

  return {
    server,
    async close() {
      server.close();
      for (const service of services) await service.close();
      server.closeAllConnections();
    },
  };
}
