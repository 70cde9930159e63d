import { setTimeout as pause } from 'node:timers/promises';
import {
  createMcpTool,
  type Logger,
  type MCPCallOptions,
  type MCPCallResult,
  MCPCallCancelledError,
  type MCPClient,
  MCPClientClosedError,
  type MCPClientState,
  MCPConnectFailedError,
  type MCPContent,
  type McpDeclaration,
  MCPSessionLostError,
  type MCPTool,
  type MCPToolDescription,
  MCPToolNotFoundError,
  silentLogger,
  WorkspaceError,
} from '@agent-workspace/core';
import { RestartBackoff } from './restart-backoff.ts';
import type { MCPSession } from './session/mcp-session.ts';
import { waitFor } from './wait.ts';

/** The first start through `npx` or `uvx` downloads the server. */
const STDIO_CONNECT_TIMEOUT_MS = 60_000;
const HTTP_CONNECT_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 300_000;
/** A caller waits for a restart that is this close, and is told when it comes otherwise. */
const LONGEST_WAIT_FOR_RESTART_MS = 2000;
/** A session that lived this long, or answered a call, was no failed start. */
const STABLE_LIFE_MS = 10_000;

export interface DirectMCPClientOptions {
  readonly declaration: McpDeclaration;
  /** Where a stdio server runs unless its declaration says otherwise. Default: the current directory. */
  readonly cwd?: string | undefined;
  /** The only values that `${NAME}` in `env` and `headers` can stand for. Default: none. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /**
   * Milliseconds from the start of a server until it has listed its tools. Default 60,000 for
   * stdio and 30,000 for HTTP, where the declaration's `timeoutMs` wins.
   */
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds for a call without news of it. Default 300,000; the declaration's `executionTimeoutMs` wins. */
  readonly callTimeoutMs?: number | undefined;
  readonly onStateChange?: ((state: MCPClientState) => void) | undefined;
  /** The server said that its tools are others now: the next `listTools` asks again. */
  readonly onToolsChanged?: (() => void) | undefined;
  /** Silent by default. */
  readonly logger?: Logger | undefined;
}

/**
 * A session to an MCP server over stdio, streamable HTTP or SSE, held by this process.
 *
 * It connects on first use and again after a loss, once for all who wait for it. A server that
 * keeps failing is left alone for 0.5 s, 1 s, 2 s and so on up to 30 s: a caller waits if two
 * seconds or less are left, and else gets `mcp-connect-failed` with `retryAt`.
 */
export class DirectMCPClient implements MCPClient {
  readonly isMCPClient = true;
  readonly declaration: McpDeclaration;
  readonly #options: DirectMCPClientOptions;
  readonly #logger: Logger;
  readonly #lifetime = new AbortController();
  readonly #backoff = new RestartBackoff();
  #state: MCPClientState = { kind: 'idle' };
  #session: MCPSession | undefined;
  #connectedAt = 0;
  #connecting: Promise<MCPSession> | undefined;
  /** The end of the session before, which the next one waits for. */
  #ending: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #tools: Promise<readonly MCPTool[]> | undefined;
  /** While connecting: the list that is being read is out of date already. */
  #haveToolsChanged = false;
  #isListBroken = false;
  #readStderr: () => string = () => '';
  #connects = 0;
  #lastError: WorkspaceError | undefined;

  constructor(options: DirectMCPClientOptions) {
    this.#options = options;
    this.declaration = options.declaration;
    this.#logger = options.logger ?? silentLogger;
  }

  get name(): string {
    return this.declaration.name;
  }

  get isStateful(): boolean {
    return this.declaration.isStateful;
  }

  get state(): MCPClientState {
    return this.#state;
  }

  get stderrTail(): string {
    return this.#readStderr();
  }

  /** How often the server was started, or connected to, after the first time. */
  get restarts(): number {
    return Math.max(0, this.#connects - 1);
  }

  /** The latest failure to connect or to keep a connection. */
  get lastError(): WorkspaceError | undefined {
    return this.#lastError;
  }

  /**
   * Connects now instead of at the first call. `signal` ends the waiting; the connecting itself
   * goes on, since others may wait for it too.
   *
   * @throws `mcp-connect-failed`, `mcp-secret-missing`, `mcp-request-failed`, `mcp-protocol-violated`,
   * `mcp-call-cancelled`, `mcp-client-closed`
   */
  async connect(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    await this.#connected('initialize', options.signal);
  }

  /**
   * The server's tools, remembered until it says that they changed. While asking for them fails,
   * the state is `failed`.
   */
  async listTools(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly MCPTool[]> {
    const method = 'tools/list';
    return this.#use(method, options.signal, (session) => {
      this.#tools ??= this.#requestTools(session);
      return waitFor(this.#tools, options.signal, (cause) => this.#cancelled(method, cause));
    });
  }

  /** @throws `mcp-tool-not-found` if the declaration hides it; else see {@link MCPClient} */
  async callTool(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options: MCPCallOptions = {},
  ): Promise<MCPCallResult> {
    if (!this.#isShown(tool)) throw new MCPToolNotFoundError({ name: this.name, tool });
    const method = 'tools/call';
    const { signal, onProgress } = options;
    const timeoutMs =
      options.timeoutMs ?? this.declaration.executionTimeoutMs ?? this.#options.callTimeoutMs ?? CALL_TIMEOUT_MS;
    return this.#use(method, signal, async (session) => {
      const result = await session.request(method, { name: tool, arguments: input }, { timeoutMs, signal, onProgress });
      const content = Array.isArray(result['content']) ? (result['content'] as readonly MCPContent[]) : [];
      return { ...result, content };
    });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#setState({ kind: 'closed' });
    this.#lifetime.abort();
    const session = this.#session;
    this.#session = undefined;
    const ends = await Promise.allSettled([session?.close(), this.#connecting?.catch(() => undefined)]);
    // A connecting that was broken off has only now said what it leaves behind.
    for (const end of [...ends, ...(await Promise.allSettled([this.#ending]))]) {
      if (end.status === 'rejected') this.#logger.warn('Closing left something behind', { error: end.reason });
    }
  }

  /** Runs `work` on a session; once more on a new one if a server that keeps nothing for us forgot the session. */
  async #use<T>(
    method: string,
    signal: AbortSignal | undefined,
    work: (session: MCPSession) => Promise<T>,
  ): Promise<T> {
    for (let isAgain = false; ; isAgain = true) {
      const session = await this.#connected(method, signal);
      try {
        const result = await work(session);
        if (session === this.#session && this.#state.kind === 'failed' && !this.#isListBroken) {
          this.#setState({ kind: 'connected', pid: session.pid });
        }
        return result;
      } catch (error) {
        // The network is away, and may come back with the session intact.
        if (MCPConnectFailedError.isInstance(error) && session === this.#session) this.#setFailed(error);
        if (!MCPSessionLostError.isInstance(error)) throw error;
        this.#lose(session, error);
        if (this.isStateful || isAgain) throw error;
      }
    }
  }

  async #connected(method: string, signal: AbortSignal | undefined): Promise<MCPSession> {
    if (this.#closing) throw this.#closedError(method);
    if (signal?.aborted) throw this.#cancelled(method, signal.reason);
    if (this.#session) return this.#session;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return waitFor(this.#connecting, signal, (cause) => this.#cancelled(method, cause));
  }

  async #connect(): Promise<MCPSession> {
    await this.#waitForRestart();
    // Loaded at first use: the SDK takes longer to load than everything else here.
    const { createSession } = await import('./session/create-session.ts');
    await this.#ending;
    if (this.#closing) throw this.#closedError();
    this.#setState({ kind: 'connecting' });
    this.#haveToolsChanged = false;
    let session: MCPSession | undefined;
    try {
      const timeoutMs = this.#connectTimeoutMs;
      session = createSession({
        declaration: this.declaration,
        cwd: this.#options.cwd ?? process.cwd(),
        secrets: this.#options.secrets ?? {},
        connectTimeoutMs: timeoutMs,
        logger: this.#logger,
        onToolsChanged: () => this.#forgetTools(),
        onEnd: (ended, error) => this.#lose(ended, error),
      });
      this.#readStderr = session.stderrTail.bind(session);
      this.#connects += 1;
      const descriptions = await session.open({ timeoutMs, signal: this.#lifetime.signal });
      this.#session = session;
      this.#connectedAt = Date.now();
      this.#tools = this.#haveToolsChanged ? undefined : Promise.resolve(this.#shownTools(descriptions));
      this.#isListBroken = false;
      this.#setState({ kind: 'connected', pid: session.pid });
      return session;
    } catch (error) {
      if (session) this.#ending = session.close();
      if (this.#closing) throw this.#closedError();
      this.#backoff.recordFailure();
      this.#setFailed(error, this.#backoff.retryAt);
      throw error;
    }
  }

  async #waitForRestart(): Promise<void> {
    const { remainingMs, retryAt, failures } = this.#backoff;
    if (remainingMs > LONGEST_WAIT_FOR_RESTART_MS) {
      const seconds = Math.ceil(remainingMs / 1000);
      const last = this.#lastError?.message ?? 'no reason is known';
      const reason = `it failed ${failures} times in a row, and is tried again in ${seconds} s. The last failure: ${last}`;
      throw new MCPConnectFailedError({ name: this.name, reason, retryAt }, { cause: this.#lastError });
    }
    if (remainingMs === 0) return;
    await pause(remainingMs, undefined, { signal: this.#lifetime.signal }).catch(() => {
      throw this.#closedError();
    });
  }

  /** The session is over, or the server knows nothing of it any more. */
  #lose(session: MCPSession, error: WorkspaceError): void {
    if (session !== this.#session) return;
    this.#session = undefined;
    this.#tools = undefined;
    this.#ending = session.close();
    const wasStable = session.hasServed || Date.now() - this.#connectedAt >= STABLE_LIFE_MS;
    if (wasStable) this.#backoff.recordSuccess();
    // A server that merely forgot a session is up, and there is nothing to wait for.
    if (!wasStable || !MCPSessionLostError.isInstance(error)) this.#backoff.recordFailure();
    this.#setFailed(error, this.#backoff.retryAt);
  }

  async #requestTools(session: MCPSession): Promise<readonly MCPTool[]> {
    const signal = this.#lifetime.signal;
    try {
      const tools = this.#shownTools(await session.listTools({ timeoutMs: this.#connectTimeoutMs, signal }));
      this.#isListBroken = false;
      return tools;
    } catch (error) {
      if (session === this.#session) {
        this.#tools = undefined;
        this.#isListBroken = true;
        this.#setFailed(error);
      }
      throw error;
    }
  }

  #shownTools(descriptions: readonly MCPToolDescription[]): readonly MCPTool[] {
    return descriptions
      .filter(({ name }) => this.#isShown(name))
      .map((description) => createMcpTool(this, description));
  }

  #isShown(tool: string): boolean {
    const { enableTools, disableTools } = this.declaration;
    return (enableTools?.includes(tool) ?? true) && !disableTools?.includes(tool);
  }

  #forgetTools(): void {
    this.#haveToolsChanged = true;
    this.#tools = undefined;
    this.#tell(() => this.#options.onToolsChanged?.());
  }

  get #connectTimeoutMs(): number {
    const { declaration } = this;
    const { connectTimeoutMs } = this.#options;
    if (declaration.transport === 'stdio') return connectTimeoutMs ?? STDIO_CONNECT_TIMEOUT_MS;
    return declaration.timeoutMs ?? connectTimeoutMs ?? HTTP_CONNECT_TIMEOUT_MS;
  }

  #setFailed(error: unknown, retryAt?: number): void {
    if (WorkspaceError.isInstance(error)) this.#lastError = error;
    const reason = error instanceof Error ? error.message : String(error);
    this.#setState({ kind: 'failed', reason, ...(retryAt !== undefined && { retryAt }) });
  }

  #setState(state: MCPClientState): void {
    if (this.#state.kind === 'closed') return;
    this.#state = state;
    this.#logger.debug('An MCP client changed its state', { server: this.name, state });
    this.#tell(() => this.#options.onStateChange?.(state));
  }

  /** A listener's own failure is not the client's. */
  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#logger.error('A listener of an MCP client failed', { server: this.name, error });
    }
  }

  #cancelled(method: string, cause: unknown): MCPCallCancelledError {
    return new MCPCallCancelledError({ name: this.name, method }, { cause });
  }

  #closedError(method = 'initialize'): MCPClientClosedError {
    return new MCPClientClosedError({ name: this.name, method });
  }
}
