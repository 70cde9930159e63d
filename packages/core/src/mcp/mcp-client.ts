import type { Tool, ToolAnnotations } from '../tools/tool.ts';
import type { McpDeclaration } from './declaration.ts';

/** Where a session to an MCP server stands. */
export type MCPClientState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected'; readonly pid?: number | undefined }
  /** The server went away; the next call starts it again, not before `retryAt` (ms since the epoch). */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAt?: number | undefined }
  | { readonly kind: 'closed' };

/** A tool as its server describes it. */
export interface MCPToolDescription {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly [extra: string]: unknown;
}

/** Content as a server sent it, kinds that we do not know included. A server that breaks the rules may send anything. */
export interface MCPContent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What `tools/call` answered, whole. */
export interface MCPCallResult {
  readonly content: readonly MCPContent[];
  readonly isError?: boolean | undefined;
  readonly structuredContent?: unknown;
  readonly [extra: string]: unknown;
}

export interface MCPProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface MCPCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for this call, instead of the declaration's. */
  readonly timeoutMs?: number | undefined;
  /** Called with each progress notification; each one starts the time anew. */
  readonly onProgress?: ((progress: MCPProgress) => void) | undefined;
}

/**
 * A session to one MCP server. It connects on first use and again after a loss.
 *
 * Errors: `mcp-connect-failed`, `mcp-call-timeout`, `mcp-call-cancelled`, `mcp-server-exited`,
 * `mcp-session-lost`, `mcp-request-failed`, `mcp-protocol-violated`, `mcp-secret-missing`,
 * `mcp-tool-not-found`, `mcp-client-closed`.
 */
export interface MCPClient extends AsyncDisposable {
  /** Marks a client, from whichever copy of this package: see {@link isMCPClient}. */
  readonly isMCPClient: true;
  readonly name: string;
  /** As declared, placeholders and all. */
  readonly declaration: McpDeclaration;
  /** The server remembers things between calls, so that no two sessions may share one. */
  readonly isStateful: boolean;
  readonly state: MCPClientState;
  /** The last lines that a stdio server wrote to stderr; empty for others. */
  readonly stderrTail: string;

  /** Connects now instead of at the first call. Safe to call at any time. */
  connect(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** What the server offers, every page of it, less what the declaration hides. */
  listTools(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly MCPTool[]>;
  /** @param tool the server's own name of it */
  callTool(tool: string, input: Readonly<Record<string, unknown>>, options?: MCPCallOptions): Promise<MCPCallResult>;
  /** Ends the session and every process of the server. Idempotent; never throws. */
  close(): Promise<void>;
}

/** A tool of an MCP server, named `mcp__{server}__{tool}` to the model. */
export interface MCPTool extends Tool {
  readonly serverName: string;
  /** The server's own name of it. */
  readonly toolName: string;
  readonly mcpTool: MCPToolDescription;
}

/** Whether `value` is an `MCPClient`, from whichever copy of this package. */
export function isMCPClient(value: unknown): value is MCPClient {
  return typeof value === 'object' && value !== null && 'isMCPClient' in value && value.isMCPClient === true;
}
