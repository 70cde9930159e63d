import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type Logger,
  type MCPClientState,
  type McpDeclaration,
  OperationAbortedError,
  type Scope,
  untilAborted,
} from '@agent-workspace/core';
import {
  type GatewayEvent,
  type McpKey,
  mcpQuery,
  mcpSchemas,
  type McpStatus,
  routePath,
  ROUTES,
} from '@agent-workspace/gateway-protocol';
import type { GatewayClient, JsonRequest } from '../gateway-client.ts';
import type { GatewayEvents } from '../gateway-events.ts';
import { ANYTHING } from '../http/anything.ts';
import { secretsNamedBy } from './secrets-named-by.ts';

export interface ServerRegistrationOptions {
  readonly client: GatewayClient;
  readonly events: GatewayEvents;
  readonly declaration: McpDeclaration;
  readonly scope: Scope;
  readonly secrets: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number | undefined;
  /** Milliseconds for a server to start and for the answer to come. */
  readonly answerMs: number;
  readonly onStateChange: ((state: MCPClientState) => void) | undefined;
  readonly logger: Logger;
}

type McpRequest<T> = Pick<JsonRequest<T>, 'method' | 'schema' | 'signal' | 'timeoutMs' | 'isRepeatable'> &
  Pick<JsonRequest<T>, 'withoutRecovery'> & { readonly route: string };

/** An MCP server as the gateway has it: registered, again at a gateway that was started anew, and with a state. */
export class ServerRegistration {
  readonly #options: ServerRegistrationOptions;
  readonly key: McpKey;
  readonly #lifetime = new AbortController();
  readonly #subscription: Disposable;
  #status: McpStatus | undefined;
  #state: MCPClientState = { kind: 'idle' };
  #connecting: Promise<void> | undefined;
  /** The one that has been connected to. */
  #used: string | undefined;
  #hasLostSession = false;

  constructor(options: ServerRegistrationOptions) {
    this.#options = options;
    const { agentId, sessionId } = options.scope;
    this.key = { name: options.declaration.name, agentId, sessionId, clientId: randomUUID() };
    this.#subscription = options.events.subscribe({
      onEvent: (event) => this.#onEvent(event),
      onConnect: () => void this.#registerAgain(),
    });
  }

  get state(): MCPClientState {
    return this.#state;
  }

  /** What the gateway said last. */
  get status(): McpStatus | undefined {
    return this.#status;
  }

  get isClosed(): boolean {
    return this.#lifetime.signal.aborted;
  }

  /** Aborted by `close()`. */
  get lifetime(): AbortSignal {
    return this.#lifetime.signal;
  }

  /** Registers and connects, unless that has been done, once for all who want it. `signal` ends the waiting alone. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#used !== undefined && this.#used === this.#status?.registrationId) return;
    this.#connecting ??= this.#begin().finally(() => {
      this.#connecting = undefined;
    });
    try {
      await untilAborted(this.#connecting, signal);
    } catch (error) {
      throw signal.aborted ? new OperationAbortedError({ operation: 'connect' }, { cause: signal.reason }) : error;
    }
  }

  /** Has the server started, if it does not run. */
  async connect(signal: AbortSignal): Promise<void> {
    this.#apply(await this.ask({ method: 'POST', route: ROUTES.mcpConnect, schema: mcpSchemas().status, signal }));
  }

  /** The gateway does not know this server any more. */
  forget(): void {
    this.#noteLoss();
    this.#status = undefined;
  }

  /** Whether what a stateful server remembered is gone and nobody has been told yet. */
  takeLoss(): boolean {
    const hasLost = this.#hasLostSession;
    this.#hasLostSession = false;
    return hasLost;
  }

  /** Whether a connection that broke has taken the session of a stateful server along. It counts as told. */
  breakSession(): boolean {
    const hadSession = this.#options.declaration.isStateful && this.#used !== undefined;
    if (hadSession) this.#used = undefined;
    return hadSession;
  }

  /** Asks how the server is, after a call that failed. */
  async refresh(): Promise<void> {
    const { client, logger } = this.#options;
    try {
      const request = { method: 'GET', route: ROUTES.mcp, schema: mcpSchemas().status } as const;
      this.#apply(await this.ask({ ...request, timeoutMs: client.deadlines.abortMs, withoutRecovery: true }));
    } catch (error) {
      logger.debug('Could not ask how an MCP server is.', { server: this.key.name, error });
    }
  }

  ask<T>({ route, ...request }: McpRequest<T>): Promise<T> {
    const { client, answerMs } = this.#options;
    const operation = `the MCP server ${JSON.stringify(this.key.name)}`;
    return client.json({ operation, path: this.path(route), timeoutMs: answerMs, lasts: true, ...request });
  }

  path(route: string, tool = ''): string {
    return `${routePath(route, { name: this.key.name, tool })}?${mcpQuery(this.key)}`;
  }

  /** Ends the server. Never throws. */
  async close(): Promise<void> {
    this.#subscription[Symbol.dispose]();
    this.#setState({ kind: 'closed' });
    this.#lifetime.abort();
    if (this.#status === undefined && this.#connecting === undefined) return;
    try {
      await this.ask({ method: 'DELETE', route: ROUTES.mcp, schema: ANYTHING, withoutRecovery: true });
    } catch (error) {
      this.#options.logger.warn('Could not end an MCP server.', { server: this.key.name, error });
    }
  }

  async #begin(): Promise<void> {
    this.#apply(await this.#register());
    this.#setState({ kind: 'connecting' });
    await this.connect(this.lifetime);
    this.#used = this.#status?.registrationId;
  }

  #register(): Promise<McpStatus> {
    const { client, declaration, secrets, connectTimeoutMs } = this.#options;
    const { agentId, sessionId, clientId } = this.key;
    const named = secretsNamedBy(declaration, secrets);
    return client.json({
      operation: 'an MCP registration',
      method: 'POST',
      path: ROUTES.mcps,
      body: { declaration, agentId, sessionId, clientId, connectTimeoutMs, secrets: named },
      schema: mcpSchemas().status,
      signal: this.lifetime,
      isRepeatable: true,
    });
  }

  /** After a break of the events: the gateway may be another one, which knows nothing of this server. */
  async #registerAgain(): Promise<void> {
    if (this.#status === undefined || this.isClosed || this.#connecting !== undefined) return;
    try {
      this.#apply(await this.#register());
    } catch (error) {
      this.#options.logger.debug('Could not register an MCP server again.', { server: this.key.name, error });
    }
  }

  #noteLoss(): void {
    this.#hasLostSession ||= this.#options.declaration.isStateful && this.#used !== undefined;
    this.#used = undefined;
  }

  #onEvent(event: GatewayEvent): void {
    if (event.type === 'mcp-state-changed' && event.mcp.clientId === this.key.clientId) this.#apply(event.mcp);
  }

  /** Takes over what the gateway says, unless something later is known. */
  #apply(status: McpStatus): void {
    const before = this.#status;
    const isSame = before?.registrationId === status.registrationId;
    if (isSame && before.revision > status.revision) return;
    if (before !== undefined && !isSame) this.#noteLoss();
    this.#status = status;
    // Where the gateway has closed it, it is registered again at its next use.
    if (status.state.kind !== 'closed') this.#setState(status.state);
  }

  #setState(state: MCPClientState): void {
    if (this.#state.kind === 'closed' || isDeepStrictEqual(state, this.#state)) return;
    this.#state = state;
    try {
      this.#options.onStateChange?.(state);
    } catch (error) {
      this.#options.logger.error('A listener of an MCP client failed.', { server: this.key.name, error });
    }
  }
}
