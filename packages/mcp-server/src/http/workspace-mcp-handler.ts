import { MCPServerOptionsInvalidError } from '@agent-workspace/core';
import type { WorkspaceMcpOptions } from '../mcp-server-options.ts';
import { HttpSession } from './http-session.ts';
import { readableByPage } from './readable-by-page.ts';
import { refuse, RequestChecks } from './request-checks.ts';

const DEFAULT_PATH = '/mcp';
/** Long enough for a person who thinks, and short enough for a sandbox that costs. 30 minutes. */
const DEFAULT_IDLE_TIMEOUT_MS = 30 * 60 * 1000;
const DEFAULT_MAX_SESSIONS = 100;
/** What Write takes is a file. 16 MiB. */
const DEFAULT_MAX_REQUEST_BYTES = 16 * 1024 * 1024;
/** `setTimeout` takes no longer time. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface WorkspaceMcpHandlerOptions extends WorkspaceMcpOptions {
  /** What clients send as `Authorization: Bearer …`. Default: nothing is asked for. */
  readonly token?: string | undefined;
  /** Where the server is. Default `/mcp`. */
  readonly path?: string | undefined;
  /**
   * Names that requests may be for, without a port. Default: those of this machine alone
   * (`localhost`, `127.0.0.1`, `[::1]`), or every name where there is a token.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Web pages that may send requests, such as `https://app.example`. Default: those of this machine. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Milliseconds without a request or a stream after which a client is taken to be gone. Default 1,800,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** Clients at a time. Default 100. */
  readonly maxSessions?: number | undefined;
  /** Bytes of one request. Default 16 MiB. */
  readonly maxRequestBytes?: number | undefined;
}

/**
 * Serves workspaces over streamable HTTP: to be put behind any server that speaks `Request` and
 * `Response`. Every client has a session, a workspace and an end of its own.
 */
export class WorkspaceMcpHandler implements AsyncDisposable {
  readonly #options: WorkspaceMcpHandlerOptions;
  readonly #checks: RequestChecks;
  readonly #sessions = new Map<string, HttpSession>();
  /** Those that close are among them until they have. */
  readonly #living = new Set<HttpSession>();
  #isClosed = false;

  /** @throws `mcp-server-options-invalid` */
  constructor(options: WorkspaceMcpHandlerOptions) {
    const { token, allowedHosts, allowedOrigins = [], idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = options;
    if (token === '') throw invalid('token', 'it is empty; leave it out where none is asked for.');
    if (!(idleTimeoutMs > 0 && idleTimeoutMs <= MAX_TIMEOUT_MS)) {
      throw invalid('idleTimeoutMs', `give milliseconds from 1 to ${MAX_TIMEOUT_MS}.`);
    }
    this.#options = options;
    const hosts = allowedHosts ?? (token === undefined ? ['localhost'] : undefined);
    this.#checks = new RequestChecks({ token, allowedHosts: hosts, allowedOrigins });
  }

  /** How many clients there are. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** Answers a request. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const stranger = this.#checks.strangerRefusal(request);
    if (stranger !== undefined) return stranger;
    // A browser asks first, and without the token, whether a page may ask.
    if (request.method === 'OPTIONS') return readableByPage(request, new Response(null, { status: 204 }));
    return readableByPage(request, this.#checks.tokenRefusal(request) ?? (await this.#answer(request)));
  };

  /** Ends every session, and answers no more. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#living].map(async (session) => await session.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #answer(request: Request): Promise<Response> {
    const { path = DEFAULT_PATH } = this.#options;
    if (new URL(request.url).pathname !== path) return refuse(404, `There is nothing here; the server is at ${path}.`);
    if (this.#isClosed) return refuse(503, 'The server is closing.');
    const id = request.headers.get('mcp-session-id');
    if (id === null) return await this.#welcome(request);
    const session = this.#sessions.get(id);
    if (session === undefined) return refuse(404, 'There is no such session, or it has ended. Initialize a new one.');
    return await session.handle(request);
  }

  /** Whoever has no session yet has to introduce itself; anything else is refused, and leaves nothing behind. */
  async #welcome(request: Request): Promise<Response> {
    const { maxSessions = DEFAULT_MAX_SESSIONS, maxRequestBytes = DEFAULT_MAX_REQUEST_BYTES } = this.#options;
    if (request.method !== 'POST') return refuse(400, 'Send the header Mcp-Session-Id, or initialize a session first.');
    if (this.#living.size >= maxSessions) {
      return refuse(503, `There are ${maxSessions} clients already. Try again later.`, { 'retry-after': '30' });
    }
    const session = await HttpSession.create({
      workspace: this.#options,
      idleTimeoutMs: this.#options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
      maxRequestBytes,
      onInitialized: (id) => {
        this.#sessions.set(id, session);
        void session.closed.then(() => this.#sessions.delete(id));
      },
    });
    this.#living.add(session);
    void session.closed.then(() => this.#living.delete(session));
    const response = await session.handle(request);
    if (!session.isInitialized) await session.close();
    return response;
  }
}

function invalid(option: string, reason: string): MCPServerOptionsInvalidError {
  return new MCPServerOptionsInvalidError({ option, reason });
}
