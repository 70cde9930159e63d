import {
  type Logger,
  MCPCallCancelledError,
  MCPCallTimeoutError,
  MCPConnectFailedError,
  type MCPProgress,
  MCPServerExitedError,
  type MCPToolDescription,
  WorkspaceError,
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
  /** Milliseconds for opening, and for asking for the tools again. */
  readonly connectTimeoutMs: number;
  readonly logger: Logger;
  readonly onToolsChanged: () => void;
  /** Called once, when the connection ends for whatever reason. */
  readonly onEnd: (error: WorkspaceError) => void;
}

interface PendingRequest {
  readonly progressed: (progress: MCPProgress) => void;
  /** No answer will come. */
  readonly lost: () => void;
  /** The response broke off, and the SDK tries to take it up again. */
  isResuming: boolean;
  /** The latest event of the response, after which it can be taken up. */
  lastEventId: string | undefined;
}

/** One session to a server: from `initialize` until its connection ends, and never again after that. */
export class MCPSession {
  readonly #connection: ServerConnection;
  readonly #options: MCPSessionOptions;
  readonly #client = new Client(CLIENT_INFO);
  readonly #pending = new Map<number, PendingRequest>();
  readonly #lifetime = new AbortController();
  #nextToken = 1;
  #hasServed = false;
  /** Resolves when no request is pending, for a session that is retired. */
  #idle: PromiseWithResolvers<void> | undefined;
  #tools: Promise<readonly MCPToolDescription[]> | undefined;
  #listProblem: WorkspaceError | undefined;
  #networkProblem: WorkspaceError | undefined;

  constructor(connection: ServerConnection, options: MCPSessionOptions) {
    this.#connection = connection;
    this.#options = options;
    const { logger, name } = options;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    this.#client.onerror = (error) => {
      logger.debug('The MCP connection reported a problem', { server: name, error });
      if (connection.noteProblem?.(error) !== true) return;
      for (const { isResuming, lost } of this.#pending.values()) if (isResuming) lost();
    };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    this.#client.onclose = () => {
      const end = connection.end ?? { kind: 'lost', reason: 'the connection was closed' };
      options.onEnd(endedError({ name, method: 'its session', connection }, end));
    };
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#tools = undefined;
      options.onToolsChanged();
    });
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

  /** What keeps it from being of use, although it is open. */
  get problem(): WorkspaceError | undefined {
    return this.#listProblem ?? this.#networkProblem;
  }

  stderrTail(): string {
    return this.#connection.stderrTail();
  }

  /**
   * Connects, and lists the tools: a server that cannot do that is of no use.
   *
   * @throws `mcp-connect-failed`, `mcp-request-failed`, `mcp-protocol-violated`
   */
  async open(): Promise<void> {
    const { name, connectTimeoutMs: timeoutMs } = this.#options;
    const timeout = AbortSignal.timeout(timerMs(timeoutMs));
    const signal = AbortSignal.any([this.#lifetime.signal, timeout]);
    let method = 'initialize';
    try {
      const connecting = this.#client.connect(this.#connection.transport, { timeout: NO_SDK_TIMEOUT_MS, signal });
      await waitFor(connecting, signal, (reason) => reason);
      method = 'tools/list';
      await waitFor(this.listTools(), signal, (reason) => reason);
      this.#hasServed = false;
    } catch (error) {
      const failure = timeout.aborted ? new Error(`no answer to ${method} within ${timeoutMs} ms.`) : error;
      throw connectError({ name, method, connection: this.#connection }, failure);
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
    const lost = (): void => fail(new MCPServerExitedError({ name, method }));
    let timer = setTimeout(expire, timerMs(timeoutMs));
    const progressed = (progress: MCPProgress): void => {
      clearTimeout(timer);
      timer = setTimeout(expire, timerMs(timeoutMs));
      options.onProgress?.(progress);
    };
    const token = this.#nextToken++;
    const pending: PendingRequest = { progressed, lost, isResuming: false, lastEventId: undefined };
    this.#pending.set(token, pending);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const sent = { method, params: { ...params, _meta: { progressToken: token } } };
      const onresumptiontoken = (lastEventId: string): void => void (pending.lastEventId = lastEventId);
      const settings = { signal: controller.signal, timeout: NO_SDK_TIMEOUT_MS, onresumptiontoken };
      const result = await this.#client.request(sent, ResultSchema, settings);
      this.#hasServed = true;
      this.#networkProblem = undefined;
      return result;
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      const failure = requestError({ name, method, connection: this.#connection }, error);
      if (MCPConnectFailedError.isInstance(failure)) this.#networkProblem = failure;
      throw failure;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(token);
      signal?.removeEventListener('abort', cancel);
      if (this.#pending.size === 0) this.#idle?.resolve();
    }
  }

  /** Every page of tools as the server describes them, remembered until it says that they changed. */
  listTools(): Promise<readonly MCPToolDescription[]> {
    if (this.#connection.isDeaf) this.#tools = undefined;
    if (this.#tools) return this.#tools;
    const tools = this.#requestTools();
    this.#tools = tools;
    const settle = (problem?: unknown): void => {
      if (problem !== undefined && this.#tools === tools) this.#tools = undefined;
      this.#listProblem = WorkspaceError.isInstance(problem) ? problem : undefined;
    };
    tools.then(() => settle(), settle);
    return tools;
  }

  /** The response to a request is over: whoever still waits for the answer waits in vain, or for another stream. */
  responseOver(token: number, isResumable: boolean): void {
    const pending = this.#pending.get(token);
    if (!pending) return;
    if (isResumable) pending.isResuming = true;
    else pending.lost();
  }

  /** Whether a request waits for the rest of a response that broke off after this event. */
  isAwaited(lastEventId: string): boolean {
    return [...this.#pending.values()].some((pending) => pending.lastEventId === lastEventId);
  }

  /** Ends a session that the server does not know any more, once the requests have been answered that it still heard. */
  async retire(): Promise<void> {
    if (this.#pending.size > 0) {
      this.#idle = Promise.withResolvers();
      await this.#idle.promise;
    }
    await this.#connection.close({ reason: { kind: 'forgotten' } });
  }

  close(): Promise<void> {
    this.#lifetime.abort();
    return this.#connection.close();
  }

  async #requestTools(): Promise<readonly MCPToolDescription[]> {
    const { name, logger, connectTimeoutMs: timeoutMs } = this.#options;
    const settings = { timeoutMs, signal: this.#lifetime.signal };
    const requestPage = (cursor: string | undefined): Promise<Readonly<Record<string, unknown>>> =>
      this.request('tools/list', cursor === undefined ? {} : { cursor }, settings);
    try {
      return await listAllTools({ name, logger, requestPage });
    } catch (error) {
      const cause = (error as Error).cause as McpError | undefined;
      const hasTools = this.#client.getServerCapabilities()?.tools !== undefined;
      // A server of resources or prompts alone.
      if (cause?.code === ErrorCode.MethodNotFound && !hasTools) return [];
      throw error;
    }
  }
}
