import {
  type Backend,
  type McpClientContext,
  type McpDeclaration,
  type MCPClient,
  type StartedBackend,
  WorkspaceBase,
  type WorkspaceOptions,
} from '@agent-workspace/core';
import { DirectMCPClient } from '@agent-workspace/mcp';
import { GatewayBackend } from '../backend/gateway-backend.ts';
import type { GatewayClientOptions } from '../gateway-client.ts';
import { GatewayEvents } from '../gateway-events.ts';
import { GatewayMCPClient } from '../mcp/gateway-mcp-client.ts';
import { GatewayKeeper } from './gateway-keeper.ts';
import type { Sandbox } from './sandbox.ts';

export interface SandboxedWorkspaceOptions extends WorkspaceOptions {
  /** Milliseconds that an MCP server may take to start. Default 60,000. */
  readonly mcpConnectTimeoutMs?: number | undefined;
  /** Environment variables that every command gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** How the gateway is talked to. */
  readonly gateway?: Pick<GatewayClientOptions, 'deadlines' | 'connections' | 'headers' | 'host'> | undefined;
}

interface Running {
  readonly keeper: GatewayKeeper;
  readonly events: GatewayEvents;
}

/** A workspace in a sandbox. An engine says what its sandbox is; everything else is here. */
export abstract class SandboxedWorkspaceBase extends WorkspaceBase {
  readonly #options: SandboxedWorkspaceOptions;
  #sandbox: Sandbox | undefined;
  #running: Running | undefined;
  /** Nobody else was attached when this host left. */
  #isLastOut = false;

  constructor(options: SandboxedWorkspaceOptions) {
    super(options);
    this.#options = options;
  }

  /** Makes the object that stands for the sandbox, and no more: nothing is started. Called once. */
  protected abstract createSandbox(): Sandbox;

  protected get sandbox(): Sandbox {
    this.#sandbox ??= this.createSandbox();
    return this.#sandbox;
  }

  override get isPersistent(): boolean {
    return this.sandbox.isPersistent;
  }

  override get isAlive(): boolean {
    return super.isAlive && this.#running?.keeper.isLost !== true;
  }

  protected override async startBackend({ signal }: { readonly signal: AbortSignal }): Promise<StartedBackend> {
    const { sandbox, logger } = this;
    const keeper = new GatewayKeeper({ sandbox, logger, client: this.#options.gateway });
    await keeper.startSandbox({ signal });
    try {
      await keeper.start({ signal });
    } catch (error) {
      this.#isLastOut = (await keeper.close()) === 0;
      // One that ran before may be another host's.
      if (this.#isLastOut && keeper.found === 'started') await sandbox.stop();
      if (keeper.found === 'created') await this.#removeIfAlone();
      throw error;
    }
    const { client, found } = keeper;
    const events = new GatewayEvents({ client, logger, isAsleep: () => sandbox.isAsleep === true });
    events.start();
    this.#running = { keeper, events };
    const { attachmentId } = keeper;
    const { kind, workdir } = sandbox;
    return {
      backend: new GatewayBackend({ client, kind, workdir, env: this.#options.env, attachmentId, logger }),
      undo: found === 'created' ? () => this.#removeIfAlone() : undefined,
    };
  }

  /** What was made by a start that failed may be in use: another host can find it and attach at any moment. */
  async #removeIfAlone(): Promise<void> {
    if (this.#isLastOut) await this.sandbox.destroy();
  }

  /** The last one out stops the sandbox. */
  protected override async stopBackend(_backend: Backend): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) {
      await running.events.close();
      this.#isLastOut = (await running.keeper.close()) === 0;
    }
    if (this.#isLastOut) await this.sandbox.stop();
  }

  protected override async destroyBackend(): Promise<void> {
    await this.sandbox.destroy();
  }

  protected override createMcpClient(declaration: McpDeclaration, context: McpClientContext): MCPClient {
    const { placement, scope, secrets, logger, onStateChange } = context;
    const connectTimeoutMs = this.#options.mcpConnectTimeoutMs;
    const options = { declaration, secrets, logger, onStateChange, connectTimeoutMs };
    if (placement === 'host') return new DirectMCPClient(options);
    const running = this.#running;
    if (running === undefined) throw new TypeError('A client is made while the backend runs.');
    return new GatewayMCPClient({ ...options, client: running.keeper.client, events: running.events, scope });
  }
}
