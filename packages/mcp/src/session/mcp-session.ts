import {
  type Logger,
  MCPCallCancelledError,
  MCPCallTimeoutError,
  type MCPProgress,
  MCPServerExitedError,
  type MCPToolDescription,
  type WorkspaceError,
} from '@agent-workspace/core';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ErrorCode,
  type McpError,
  ProgressNotificationSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ServerConnection } from '../connection.ts';
import { timerMs, waitFor } from '../wait.ts';
import { connectError, endedError, requestError } from './failure.ts';
import { listAllTools } from './list-all-tools.ts';

const CLIENT_INFO = { name: 'agent-workspace', version: '1.0.0' };
/** Our own clock runs out first. */
const NO_SDK_TIMEOUT_MS = timerMs(Number.POSITIVE_INFINITY);

export interface SessionRequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: MCPProgress) => void) | undefined;
}

export interface MCPSessionOptions {
  readonly name: string;
  readonly logger: Logger;
  readonly onToolsChanged: () => void;
  /** Called once, when the connection ends for whatever reason. */
  readonly onEnd: (error: WorkspaceError) => void;
}

interface PendingRequest {
  readonly progressed: (progress: MCPProgress) => void;
  /** The response is over without an answer in it. */
  readonly lost: () => void;
}

/** One initialized session to a server: from `initialize` until its connection ends, never again after that. */
export class MCPSession {
  readonly #connection: ServerConnection;
  readonly #options: MCPSessionOptions;
  readonly #client = new Client(CLIENT_INFO);
  readonly #pending = new Map<number, PendingRequest>();
  #nextToken = 1;
  #hasServed = false;

  constructor(connection: ServerConnection, options: MCPSessionOptions) {
    this.#connection = connection;
    this.#options = options;
    const { logger, name } = options;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    this.#client.onerror = (error) => logger.debug('The MCP connection reported a problem', { server: name, error });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    this.#client.onclose = () => {
      const end = connection.end ?? { kind: 'lost', reason: 'the connection was closed' };
      options.onEnd(endedError({ name, method: 'its session', connection }, end));
    };
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, options.onToolsChanged);
    // With tokens of our own, since the SDK forgets its handler when the answer follows close upon the progress.
    this.#client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
      const { progressToken, progress, total, message } = params;
      this.#pending.get(Number(progressToken))?.progressed({
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      });
    });
  }

  get pid(): number | undefined {
    return this.#connection.pid;
  }

  /** A request has been answered since it opened. */
  get hasServed(): boolean {
    return this.#hasServed;
  }

  stderrTail(): string {
    return this.#connection.stderrTail();
  }

  /**
   * Connects, and lists the tools: a server that cannot do that is of no use.
   *
   * @throws `mcp-connect-failed`, `mcp-request-failed`, `mcp-protocol-violated`
   */
  async open(options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  }): Promise<readonly MCPToolDescription[]> {
    const { timeoutMs } = options;
    const timeout = AbortSignal.timeout(timerMs(timeoutMs));
    const signal = AbortSignal.any([options.signal, timeout]);
    let method = 'initialize';
    try {
      const connecting = this.#client.connect(this.#connection.transport, { timeout: NO_SDK_TIMEOUT_MS, signal });
      await waitFor(connecting, signal, (reason) => reason);
      method = 'tools/list';
      const tools = await this.listTools({ timeoutMs, signal });
      this.#hasServed = false;
      return tools;
    } catch (error) {
      const failure = timeout.aborted ? new Error(`no answer to ${method} within ${timeoutMs} ms.`) : error;
      throw connectError({ name: this.#options.name, method, connection: this.#connection }, failure);
    }
  }

  /** A request answered by whatever the server says: nothing of it is checked or left out. */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: SessionRequestOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { name } = this.#options;
    const { timeoutMs, signal } = options;
    if (signal?.aborted) throw new MCPCallCancelledError({ name, method }, { cause: signal.reason });
    // One controller per request: the SDK never takes its listeners off.
    const controller = new AbortController();
    const fail = (error: Error): void => controller.abort(error);
    const cancel = (): void => fail(new MCPCallCancelledError({ name, method }, { cause: signal?.reason }));
    const expire = (): void => fail(new MCPCallTimeoutError({ name, method, timeoutMs }));
    let timer = setTimeout(expire, timerMs(timeoutMs));
    const progressed = (progress: MCPProgress): void => {
      clearTimeout(timer);
      timer = setTimeout(expire, timerMs(timeoutMs));
      options.onProgress?.(progress);
    };
    const token = this.#nextToken++;
    const lost = (): void => fail(new MCPServerExitedError({ name, method }));
    this.#pending.set(token, { progressed, lost });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const sent = { method, params: { ...params, _meta: { progressToken: token } } };
      const result = await this.#client.request(sent, ResultSchema, {
        signal: controller.signal,
        timeout: NO_SDK_TIMEOUT_MS,
      });
      this.#hasServed = true;
      return result;
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      throw requestError({ name, method, connection: this.#connection }, error);
    } finally {
      clearTimeout(timer);
      this.#pending.delete(token);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Every page of tools, as the server describes them. */
  async listTools(options: SessionRequestOptions): Promise<readonly MCPToolDescription[]> {
    const { name, logger } = this.#options;
    const declaresTools = this.#client.getServerCapabilities()?.tools !== undefined;
    try {
      return await listAllTools({
        name,
        logger,
        requestPage: (cursor) => this.request('tools/list', cursor === undefined ? {} : { cursor }, options),
      });
    } catch (error) {
      const isUnknown =
        error instanceof Error && (error.cause as McpError | undefined)?.code === ErrorCode.MethodNotFound;
      // A server of resources or prompts alone.
      if (isUnknown && !declaresTools) return [];
      throw error;
    }
  }

  /** The response to a request is over: whoever still waits for it waits in vain. */
  responseOver(token: number): void {
    this.#pending.get(token)?.lost();
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
