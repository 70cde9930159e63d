import {
  createMcpTool,
  GatewayConnectionLostError,
  type Logger,
  MCPCallCancelledError,
  MCPCallTimeoutError,
  type MCPCallOptions,
  type MCPCallResult,
  type MCPClient,
  MCPClientClosedError,
  type MCPClientState,
  type McpDeclaration,
  MCPNotFoundError,
  MCPSessionLostError,
  type MCPTool,
  MCPToolNotFoundError,
  OperationAbortedError,
  type Scope,
  silentLogger,
  type ToolAnnotations,
  WorkspaceError,
} from '@agent-workspace/core';
import { MAX_CALLS_PER_SERVER, mcpSchemas, ROUTES } from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import type { GatewayEvents } from '../gateway-events.ts';
import { Deadline } from '../http/deadline.ts';
import { callTool } from './call-tool.ts';
import { Places } from './places.ts';
import { ServerRegistration } from './server-registration.ts';

const CONNECT_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 300_000;
/** What an answer may take on its way, beyond the server's own time. */
const MARGIN_MS = 15_000;

export interface GatewayMCPClientOptions {
  readonly client: GatewayClient;
  /** Tells of changes of the state while nothing is asked for. */
  readonly events: GatewayEvents;
  readonly declaration: McpDeclaration;
  readonly scope?: Scope | undefined;
  /** Of these the gateway is given what the declaration names. Default: none. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds for a server to start. Default 60,000. */
  readonly connectTimeoutMs?: number | undefined;
  readonly onStateChange?: ((state: MCPClientState) => void) | undefined;
  /** Silent by default. */
  readonly logger?: Logger | undefined;
}

/**
 * A session to an MCP server that runs beside the agent, held by the gateway.
 *
 * It is registered at first use, and again at a gateway that was started anew. What a stateful
 * server remembered is gone then: the next call fails with `mcp-session-lost`, once.
 */
export class GatewayMCPClient implements MCPClient {
  readonly isMCPClient = true as const;
  readonly declaration: McpDeclaration;
  readonly #client: GatewayClient;
  readonly #registration: ServerRegistration;
  readonly #answerMs: number;
  readonly #places = new Places(MAX_CALLS_PER_SERVER);
  readonly #annotations = new Map<string, ToolAnnotations | undefined>();
  #closing: Promise<void> | undefined;

  constructor(options: GatewayMCPClientOptions) {
    const { client, events, declaration, scope = {}, secrets = {}, connectTimeoutMs, onStateChange } = options;
    const { logger = silentLogger } = options;
    this.#client = client;
    this.declaration = declaration;
    this.#answerMs = (connectTimeoutMs ?? CONNECT_TIMEOUT_MS) + MARGIN_MS;
    this.#registration = new ServerRegistration({
      client,
      events,
      declaration,
      scope,
      secrets,
      connectTimeoutMs,
      answerMs: this.#answerMs,
      onStateChange,
      logger,
    });
  }

  get name(): string {
    return this.declaration.name;
  }

  get isStateful(): boolean {
    return this.declaration.isStateful;
  }

  get state(): MCPClientState {
    return this.#registration.state;
  }

  get stderrTail(): string {
    return this.#registration.status?.stderrTail ?? '';
  }

  /** How often the server was started, or connected to, after the first time. */
  get restarts(): number {
    return this.#registration.status?.restarts ?? 0;
  }

  async connect(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    await this.#use('initialize', options.signal, (signal) => this.#registration.connect(signal));
  }

  async listTools(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly MCPTool[]> {
    const request = { method: 'GET', route: ROUTES.mcpTools, schema: mcpSchemas().tools, isRepeatable: true } as const;
    const { tools } = await this.#use('tools/list', options.signal, (signal) =>
      this.#registration.ask({ ...request, signal }),
    );
    for (const { name, annotations } of tools) this.#annotations.set(name, annotations);
    return tools.filter(({ name }) => this.#isShown(name)).map((tool) => createMcpTool(this, tool));
  }

  /** @throws `mcp-tool-not-found` if the declaration hides it; else see {@link MCPClient} */
  async callTool(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options: MCPCallOptions = {},
  ): Promise<MCPCallResult> {
    if (!this.#isShown(tool)) throw new MCPToolNotFoundError({ name: this.name, tool });
    const { timeoutMs, onProgress } = options;
    const ownMs = timeoutMs ?? this.declaration.executionTimeoutMs ?? CALL_TIMEOUT_MS;
    using _place = this.#places.takeFree() ?? (await this.#waitForPlace(options.signal, ownMs));
    return await this.#use('tools/call', options.signal, (signal) => {
      const call = { signal, timeoutMs: ownMs + this.#answerMs, isRepeatable: this.#isRepeatable(tool) };
      const alone = (): Promise<MCPCallResult> =>
        callTool({
          ...call,
          client: this.#client,
          path: this.#registration.path(ROUTES.mcpTool, tool),
          request: { arguments: input, timeoutMs },
          onProgress,
        });
      if (onProgress !== undefined) return alone();
      return this.#client.toolCalls.call({
        ...call,
        call: { ...this.#registration.key, tool, arguments: input, timeoutMs },
        alone,
      });
    });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#registration.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** As long as a call may take, it waits for a place. */
  async #waitForPlace(caller: AbortSignal | undefined, timeoutMs: number): Promise<Disposable> {
    const { name } = this;
    const method = 'tools/call';
    using deadline = new Deadline({ operation: method, timeoutMs });
    const ends = [this.#registration.lifetime, deadline.signal, ...(caller === undefined ? [] : [caller])];
    try {
      return await this.#places.take(AbortSignal.any(ends));
    } catch (error) {
      if (this.#closing !== undefined) throw new MCPClientClosedError({ name, method }, { cause: error });
      if (caller?.aborted === true) throw this.#cancelled(method, caller);
      throw new MCPCallTimeoutError({ name, method, timeoutMs }, { cause: error });
    }
  }

  /** Runs `work` on a server that is registered and has been connected to. */
  async #use<T>(
    method: string,
    caller: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { lifetime } = this.#registration;
    const signal = caller === undefined ? lifetime : AbortSignal.any([caller, lifetime]);
    for (let isAgain = false; ; isAgain = true) {
      try {
        if (this.#closing !== undefined) throw new MCPClientClosedError({ name: this.name, method });
        if (signal.aborted) throw this.#cancelled(method, signal);
        if (this.#registration.takeLoss()) throw new MCPSessionLostError({ name: this.name });
        await this.#registration.ready(signal);
        return await work(signal);
      } catch (error) {
        const isForgotten = MCPNotFoundError.isInstance(error) && !isAgain && !signal.aborted;
        if (!isForgotten) throw await this.#failure(error, method, signal);
        this.#registration.forget();
      }
    }
  }

  /** What the caller is told. */
  async #failure(error: unknown, method: string, signal: AbortSignal): Promise<unknown> {
    if (this.#closing !== undefined) return new MCPClientClosedError({ name: this.name, method }, { cause: error });
    if (OperationAbortedError.isInstance(error) && signal.aborted) return this.#cancelled(method, signal);
    if (GatewayConnectionLostError.isInstance(error) && this.#registration.breakSession()) {
      return new MCPSessionLostError({ name: this.name }, { cause: error });
    }
    if (WorkspaceError.isInstance(error) && error.code.startsWith('mcp-')) await this.#registration.refresh();
    return error;
  }

  #cancelled(method: string, signal: AbortSignal): MCPCallCancelledError {
    return new MCPCallCancelledError({ name: this.name, method }, { cause: signal.reason });
  }

  #isShown(tool: string): boolean {
    const { enableTools, disableTools } = this.declaration;
    return (enableTools?.includes(tool) ?? true) && !disableTools?.includes(tool);
  }

  /** A call that changes nothing the second time, by the tool's own word. */
  #isRepeatable(tool: string): boolean {
    const annotations = this.#annotations.get(tool);
    return !this.isStateful && (annotations?.readOnlyHint === true || annotations?.idempotentHint === true);
  }
}
