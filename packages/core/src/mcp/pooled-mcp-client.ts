import type { WorkspaceError } from '../errors/workspace-error.ts';
import type { McpDeclaration } from './declaration.ts';
import {
  type MCPCallOptions,
  type MCPCallResult,
  type MCPClient,
  type MCPClientState,
  type MCPTool,
} from './mcp-client.ts';
import { createMcpTool } from './mcp-tool.ts';

export interface PooledMcpClientOptions {
  readonly declaration: McpDeclaration;
  /** Makes a session to the server. It may be called again, after an eviction. */
  readonly create: () => MCPClient;
  /** Called before each use; gives what ends the use. */
  readonly use: () => Disposable;
}

/**
 * A client as a session holds it: the same object for as long as the server is declared, while the
 * session behind it may be evicted and made anew.
 */
export class PooledMcpClient implements MCPClient {
  readonly isMCPClient = true as const;
  readonly declaration: McpDeclaration;
  readonly #options: PooledMcpClientOptions;
  #inner: MCPClient | undefined;
  #uses = 0;
  /** Why the server is not to be had any more. */
  #retirement: ((method: string) => WorkspaceError) | undefined;
  /** By the clock of this process, in milliseconds, fine enough to tell two calls apart. */
  lastUsedAt = 0;

  constructor(options: PooledMcpClientOptions) {
    this.declaration = options.declaration;
    this.#options = options;
  }

  get name(): string {
    return this.declaration.name;
  }

  get isStateful(): boolean {
    return this.declaration.isStateful;
  }

  get state(): MCPClientState {
    if (this.#retirement !== undefined) return { kind: 'closed' };
    return this.#inner?.state ?? { kind: 'idle' };
  }

  get stderrTail(): string {
    return this.#inner?.stderrTail ?? '';
  }

  /** A session is open or opening, so that it counts towards the cap. */
  get isLive(): boolean {
    return this.#inner !== undefined;
  }

  get isInUse(): boolean {
    return this.#uses > 0;
  }

  async connect(options?: { readonly signal?: AbortSignal | undefined }): Promise<void> {
    await this.#use('connect', (inner) => inner.connect(options));
  }

  async listTools(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly MCPTool[]> {
    const tools = await this.#use('tools/list', (inner) => inner.listTools(options));
    return tools.map((tool) => createMcpTool(this, tool.mcpTool));
  }

  async callTool(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options?: MCPCallOptions,
  ): Promise<MCPCallResult> {
    return this.#use('tools/call', (inner) => inner.callTool(tool, input, options));
  }

  /** Ends the session; the next use starts another. */
  async close(): Promise<void> {
    const inner = this.#inner;
    this.#inner = undefined;
    await inner?.close();
  }

  /** Ends the session for good; later calls fail with `reason`. */
  async retire(reason: (method: string) => WorkspaceError): Promise<void> {
    this.#retirement ??= reason;
    await this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #use<T>(method: string, work: (inner: MCPClient) => Promise<T>): Promise<T> {
    if (this.#retirement !== undefined) throw this.#retirement(method);
    using _use = this.#options.use();
    this.#uses += 1;
    this.lastUsedAt = performance.now();
    try {
      this.#inner ??= this.#options.create();
      return await work(this.#inner);
    } finally {
      this.#uses -= 1;
      this.lastUsedAt = performance.now();
    }
  }
}
