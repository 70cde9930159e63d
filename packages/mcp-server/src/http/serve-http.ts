import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MCPServerOptionsInvalidError } from '@agent-workspace/core';
import { getRequestListener } from '@hono/node-server';
import { isLoopback, refuse } from './request-checks.ts';
import { WorkspaceMcpHandler, type WorkspaceMcpHandlerOptions } from './workspace-mcp-handler.ts';

const DEFAULT_HOST = '127.0.0.1';

export interface ServeHttpOptions extends WorkspaceMcpHandlerOptions {
  /** Default: a free one. */
  readonly port?: number | undefined;
  /** The address to listen on. Default `127.0.0.1`; any other one than this machine's needs a token. */
  readonly host?: string | undefined;
}

/** A server that listens. */
export class HttpMcpServer implements AsyncDisposable {
  /** What clients are configured with. */
  readonly url: string;
  readonly #server: Server;
  readonly #handler: WorkspaceMcpHandler;
  #closing: Promise<void> | undefined;

  constructor(url: string, server: Server, handler: WorkspaceMcpHandler) {
    this.url = url;
    this.#server = server;
    this.#handler = handler;
  }

  /** How many clients there are. */
  get sessionCount(): number {
    return this.#handler.sessionCount;
  }

  /** Ends every session with its workspace, and stops listening. Idempotent. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await this.#handler.close();
    this.#server.closeAllConnections();
    await promise;
  }
}

/**
 * Serves workspaces over streamable HTTP, on this machine alone unless told otherwise.
 *
 * @throws `mcp-server-options-invalid`
 */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpMcpServer> {
  const { host = DEFAULT_HOST, port = 0 } = options;
  if (!isLoopback(host) && options.token === undefined) {
    const reason = `${host} is an address that others reach, and whoever reaches it may run commands. Give a token.`;
    throw new MCPServerOptionsInvalidError({ option: 'host', reason });
  }
  const handler = new WorkspaceMcpHandler(options);
  const listener = getRequestListener(handler.fetch, {
    errorHandler: (error) => {
      options.logger?.error('A request failed.', { error });
      return refuse(500, 'The request failed; the log of the server says why.');
    },
  });
  const server = createServer((message, response) => void listener(message, response));
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const reason = `${host}:${port} cannot be listened on: ${(error as Error).message}. Take another one.`;
    throw new MCPServerOptionsInvalidError({ option: 'port', reason }, { cause: error });
  }
  const { port: actual } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return new HttpMcpServer(`http://${name}:${actual}${options.path ?? '/mcp'}`, server, handler);
}
