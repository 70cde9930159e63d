import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { watchBody } from './watch-body.ts';
import type { WorkspaceMcpOptions } from '../mcp-server-options.ts';
import { WorkspaceMcpServer } from '../workspace-mcp-server.ts';

export interface HttpSessionOptions {
  readonly workspace: WorkspaceMcpOptions;
  readonly idleTimeoutMs: number;
  readonly maxRequestBytes: number;
  readonly onInitialized: (id: string) => void;
}

/**
 * One client over HTTP, with its own server and workspace. It ends when the client says so, and when
 * for some time nothing of it has been heard: no request, and no stream that it listens to.
 */
export class HttpSession {
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #server: WorkspaceMcpServer;
  readonly #idleTimeoutMs: number;
  #open = 0;
  #idle: NodeJS.Timeout | undefined;
  #isEnded = false;

  private constructor(server: WorkspaceMcpServer, options: HttpSessionOptions) {
    this.#server = server;
    this.#idleTimeoutMs = options.idleTimeoutMs;
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: options.onInitialized,
      maxRequestBodySize: options.maxRequestBytes,
    });
    void server.closed.then(() => {
      this.#isEnded = true;
      clearTimeout(this.#idle);
    });
  }

  /** @throws `mcp-server-options-invalid` */
  static async create(options: HttpSessionOptions): Promise<HttpSession> {
    const session = new HttpSession(new WorkspaceMcpServer(options.workspace), options);
    await session.#server.connect(session.#transport);
    return session;
  }

  /** Whether a client has introduced itself. */
  get isInitialized(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /** Resolves when the session has ended and its workspace is closed. */
  get closed(): Promise<void> {
    return this.#server.closed;
  }

  async handle(request: Request): Promise<Response> {
    this.#open += 1;
    clearTimeout(this.#idle);
    let response: Response;
    try {
      response = await this.#transport.handleRequest(request);
    } catch (error) {
      this.#leave();
      throw error;
    }
    let hasLeft = false;
    return watchBody(response, () => {
      if (!hasLeft) this.#leave();
      hasLeft = true;
    });
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  #leave(): void {
    this.#open -= 1;
    if (this.#open > 0 || this.#isEnded) return;
    this.#idle = setTimeout(() => void this.close(), this.#idleTimeoutMs);
    this.#idle.unref();
  }
}
