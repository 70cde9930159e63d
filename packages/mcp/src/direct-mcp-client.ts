import {
  createMcpTool,
  type Logger,
  type MCPCallOptions,
  type MCPCallResult,
  type MCPClient,
  type MCPClientState,
  type MCPContent,
  type McpDeclaration,
  type MCPTool,
  MCPToolNotFoundError,
  silentLogger,
  type WorkspaceError,
} from '@agent-workspace/core';
import type { MCPSession } from './session/mcp-session.ts';
import { SessionKeeper } from './session/session-keeper.ts';

/** The first start through `npx` or `uvx` downloads the server. */
const STDIO_CONNECT_TIMEOUT_MS = 60_000;
const HTTP_CONNECT_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 300_000;

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
  readonly #keeper: SessionKeeper;

  constructor(options: DirectMCPClientOptions) {
    const { declaration } = options;
    this.#options = options;
    this.declaration = declaration;
    this.#logger = options.logger ?? silentLogger;
    this.#keeper = new SessionKeeper({
      name: declaration.name,
      isStateful: declaration.isStateful,
      create: (onEnd) => this.#createSession(onEnd),
      onStateChange: (state) => this.#stateChanged(state),
      logger: this.#logger,
    });
  }

  get name(): string {
    return this.declaration.name;
  }

  get isStateful(): boolean {
    return this.declaration.isStateful;
  }

  get state(): MCPClientState {
    return this.#keeper.state;
  }

  get stderrTail(): string {
    return this.#keeper.stderrTail;
  }

  /** How often the server was started, or connected to, after the first time. */
  get restarts(): number {
    return Math.max(0, this.#keeper.starts - 1);
  }

  /** The latest failure to connect or to keep a connection. */
  get lastError(): WorkspaceError | undefined {
    return this.#keeper.lastError;
  }

  /**
   * Connects now instead of at the first call. `signal` ends the waiting; the connecting itself
   * goes on, since others may wait for it too.
   *
   * @throws `mcp-connect-failed`, `mcp-secret-missing`, `mcp-request-failed`, `mcp-protocol-violated`,
   * `mcp-call-cancelled`, `mcp-client-closed`
   */
  async connect(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    await this.#keeper.use('initialize', options.signal, () => Promise.resolve());
  }

  /**
   * The server's tools, remembered until it says that they changed. While asking for them fails,
   * the state is `failed`.
   */
  async listTools(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly MCPTool[]> {
    const tools = await this.#keeper.use('tools/list', options.signal, (session) => session.listTools());
    return tools.filter(({ name }) => this.#isShown(name)).map((tool) => createMcpTool(this, tool));
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
    const result = await this.#keeper.use(method, signal, (session) =>
      session.request(method, { name: tool, arguments: input }, { timeoutMs, signal, onProgress }),
    );
    // What is no array is the one piece of content that there is, and null is how some languages write an empty array.
    const content = [(result['content'] ?? []) as MCPContent | readonly MCPContent[]].flat();
    return { ...result, content };
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #createSession(onEnd: (error: WorkspaceError) => void): Promise<MCPSession> {
    const { cwd = process.cwd(), secrets = {} } = this.#options;
    // Loaded at first use: the SDK takes longer to load than everything else here.
    const { createSession } = await import('./session/create-session.ts');
    return createSession({
      declaration: this.declaration,
      cwd,
      secrets,
      connectTimeoutMs: this.#connectTimeoutMs,
      logger: this.#logger,
      onToolsChanged: () => this.#tell(() => this.#options.onToolsChanged?.()),
      onEnd,
    });
  }

  get #connectTimeoutMs(): number {
    const { declaration } = this;
    const { connectTimeoutMs } = this.#options;
    if (declaration.transport === 'stdio') return connectTimeoutMs ?? STDIO_CONNECT_TIMEOUT_MS;
    return declaration.timeoutMs ?? connectTimeoutMs ?? HTTP_CONNECT_TIMEOUT_MS;
  }

  #isShown(tool: string): boolean {
    const { enableTools, disableTools } = this.declaration;
    return (enableTools?.includes(tool) ?? true) && !disableTools?.includes(tool);
  }

  #stateChanged(state: MCPClientState): void {
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
}
