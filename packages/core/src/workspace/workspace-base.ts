import { randomUUID } from 'node:crypto';
import type { Backend } from '../backend/backend.ts';
import { IdInvalidError } from '../errors/id-invalid-error.ts';
import { WorkspaceClosedError } from '../errors/workspace-closed-error.ts';
import { WorkspaceNotInitializedError } from '../errors/workspace-not-initialized-error.ts';
import { type Diagnostic, DiagnosticList } from '../events/diagnostics.ts';
import { type Logger, silentLogger } from '../events/logger.ts';
import type { WorkspaceEvent, WorkspaceEventListener } from '../events/workspace-event.ts';
import { type McpDeclaration, type McpDeclarationInput, parseMcpDeclarations } from '../mcp/declaration.ts';
import type { MCPClient, MCPClientState } from '../mcp/mcp-client.ts';
import { defaultMaxLiveStateful } from '../mcp/mcp-pool.ts';
import { Layout } from '../state/layout.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import { WorkspaceLock } from '../state/workspace-lock.ts';
import { beginSeeding, endSeeding, readState, seedingNeed, writeState } from '../state/workspace-state.ts';
import { BoundSession, type SessionOwner } from './bound-session.ts';
import { SessionBase } from './session-base.ts';
import { type Scope, scopeKey, UNSCOPED } from '../scope.ts';
import { Usage } from './usage.ts';
import type { Workspace, WorkspaceSession, WorkspaceStatus } from './workspace.ts';
import { type ReadLimits, WorkspaceParts } from './workspace-parts.ts';

export interface WorkspaceOptions {
  /** Default: the id in the directory's `state.json`, else a new UUID. */
  readonly workspaceId?: string | undefined;
  /** Servers that a brand-new workspace begins with. What is on disk wins later. */
  readonly defaultMcps?: readonly McpDeclarationInput[] | undefined;
  /** Folders on the host, each a skill or full of skills, that a brand-new workspace begins with. */
  readonly skillPaths?: readonly string[] | undefined;
  /** Servers that run on the host, in every scope, with secrets that the agent must not learn. Never written to `.mcp`. */
  readonly hostMcps?: readonly McpDeclarationInput[] | undefined;
  /** What `${NAME}` in a declaration's `env` and `headers` stands for. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** Live stateful servers of all sessions together. Default: `max(40, 2 × stateful defaults)`. */
  readonly maxLiveStatefulMcps?: number | undefined;
  /** What Read may hand to the model as media. */
  readonly reading?: ReadLimits | undefined;
  /** `'fsync'` makes what is acknowledged survive a loss of power, too. Default `'process'`. */
  readonly durability?: 'process' | 'fsync' | undefined;
  readonly onEvent?: WorkspaceEventListener | undefined;
  readonly logger?: Logger | undefined;
}

/** A backend that has started, and how to take back what starting it made. */
export interface StartedBackend {
  readonly backend: Backend;
  /** Removes what this start made, and only that. Called when `initialize()` fails later. */
  readonly undo?: (() => Promise<void>) | undefined;
}

/** Who a client is made for. */
export interface McpClientContext {
  readonly scope: Scope;
  /** Where the server runs: beside the agent, or on the host. */
  readonly placement: 'workspace' | 'host';
  readonly backend: Backend;
  readonly secrets: Readonly<Record<string, string>>;
  readonly logger: Logger;
  readonly onStateChange: (state: MCPClientState) => void;
}

/**
 * A workspace on any backend. An engine says how its backend starts, ends and is destroyed, and how
 * a client to an MCP server is made; everything else is here.
 */
export abstract class WorkspaceBase extends SessionBase implements Workspace {
  override readonly scope: Scope = UNSCOPED;
  readonly #options: WorkspaceOptions;
  readonly #defaults: readonly McpDeclaration[];
  readonly #hostMcps: readonly McpDeclaration[];
  readonly #diagnostics: DiagnosticList;
  readonly #usage = new Usage();
  readonly #sessions = new Map<string, WorkspaceSession>();
  readonly #owner: SessionOwner;
  #workspaceId: string;
  #isNew = false;
  #status: WorkspaceStatus = 'new';
  #parts: WorkspaceParts | undefined;
  #initialization: Promise<void> | undefined;
  #isClosing = false;
  #closing: Promise<void> | undefined;
  #hasEndedProcesses = false;
  #abort = new AbortController();

  /** @throws `mcp-declaration-invalid`, `id-invalid` */
  constructor(options: WorkspaceOptions) {
    super();
    if (options.workspaceId === '') throw new IdInvalidError({ id: '', reason: 'it is empty' });
    this.#options = options;
    this.#workspaceId = options.workspaceId ?? randomUUID();
    this.#defaults = (options.defaultMcps ?? []).flatMap(parseMcpDeclarations);
    this.#hostMcps = (options.hostMcps ?? []).flatMap(parseMcpDeclarations);
    this.#owner = {
      workdir: () => this.workdir,
      backend: () => this.backend,
      hold: () => this.hold(),
      use: (method, work) => this.use(method, work),
    };
    this.#diagnostics = new DiagnosticList(({ path, reason }) => this.emit({ type: 'diagnostic-added', path, reason }));
  }

  /** Creates or finds what is behind the workspace. */
  protected abstract startBackend(options: { readonly signal: AbortSignal }): Promise<StartedBackend>;
  /** Lets go of it. The data stays where the engine keeps it. Called again where it failed. */
  protected abstract stopBackend(backend: Backend): Promise<void>;
  /** Removes it with its data, after `stopBackend`. */
  protected abstract destroyBackend(): Promise<void>;
  /** Makes a client, without connecting it. */
  protected abstract createMcpClient(declaration: McpDeclaration, context: McpClientContext): MCPClient;

  abstract readonly isPersistent: boolean;

  protected get logger(): Logger {
    return this.#options.logger ?? silentLogger;
  }

  /** Tells the listener. A listener that throws is logged and disturbs no one. */
  protected emit(event: WorkspaceEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch (error) {
      this.logger.error('the onEvent listener threw', { error, event: event.type });
    }
  }

  get workspaceId(): string {
    return this.#workspaceId;
  }

  get status(): WorkspaceStatus {
    return this.#status;
  }

  get isNew(): boolean {
    return this.#isNew;
  }

  get isAlive(): boolean {
    return this.#status === 'ready';
  }

  /** @throws `workspace-not-initialized`, `workspace-closed` */
  override get backend(): Backend {
    return this.#open('backend').context.backend;
  }

  /** Known from `initialize()` on, also after `close()`. @throws `workspace-not-initialized` */
  override get workdir(): string {
    if (this.#parts === undefined) throw new WorkspaceNotInitializedError({ method: 'workdir' });
    return this.#parts.context.layout.workdir;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics.list();
  }

  get isInUse(): boolean {
    return this.#usage.isInUse;
  }

  get lastUsedAt(): number {
    return this.#usage.lastUsedAt;
  }

  get lastWorkAt(): number {
    return this.#usage.lastWorkAt;
  }

  override hold(): Disposable {
    return this.#usage.hold();
  }

  /** A hold for what runs on in the background: in use, and no work that anyone waits for. */
  protected holdInBackground(): Disposable {
    return this.#usage.hold('background');
  }

  async initialize(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#status === 'ready') return;
    if (this.#isClosing) throw new WorkspaceClosedError({ workspaceId: this.#workspaceId });
    this.#initialization ??= this.#initialize(options.signal).finally(() => {
      this.#initialization = undefined;
    });
    await this.#initialization;
  }

  async #initialize(signal: AbortSignal | undefined): Promise<void> {
    this.#status = 'initializing';
    const signals = [this.#abort.signal, ...(signal === undefined ? [] : [signal])];
    let started: StartedBackend | undefined;
    try {
      const aborted = AbortSignal.any(signals);
      started = await this.startBackend({ signal: aborted });
      const parts = this.#assemble(started.backend);
      await this.#seed(parts, aborted);
      if (!this.#isNew) await parts.adoptBackground();
      aborted.throwIfAborted();
      this.#parts = parts;
      this.#status = 'ready';
    } catch (error) {
      this.#status = this.#isClosing ? 'closed' : 'new';
      if (started !== undefined) await this.#takeBack(started);
      if (this.#isClosing) {
        throw new WorkspaceClosedError({ workspaceId: this.#workspaceId }, { cause: error });
      }
      throw error;
    }
  }

  async #takeBack(started: StartedBackend): Promise<void> {
    try {
      await this.stopBackend(started.backend);
      await started.undo?.();
    } catch (error) {
      this.logger.error('could not take back a failed start', { error });
    }
  }

  #assemble(backend: Backend): WorkspaceParts {
    const layout = new Layout(backend.workdir);
    const { logger } = this;
    const context: WorkspaceContext = {
      backend,
      layout,
      lock: new WorkspaceLock(backend, layout.lockFile),
      diagnostics: this.#diagnostics,
      logger,
      emit: (event) => this.emit(event),
      sync: this.#options.durability === 'fsync',
    };
    const secrets = this.#options.secrets ?? {};
    const hold = (): Disposable => this.#usage.hold();
    return new WorkspaceParts(context, {
      hold,
      holdInBackground: () => this.holdInBackground(),
      reading: this.#options.reading ?? {},
      mcps: {
        hold,
        defaults: this.#defaults,
        hostMcps: this.#hostMcps,
        maxLiveStateful: this.#options.maxLiveStatefulMcps ?? defaultMaxLiveStateful(this.#defaults),
        create: (declaration, scope, onStateChange) => {
          const placement = this.#hostMcps.includes(declaration) ? 'host' : 'workspace';
          return this.createMcpClient(declaration, { scope, placement, backend, secrets, logger, onStateChange });
        },
      },
    });
  }

  /** Fills a brand-new workspace. One that was seeded, by us or by AgentScope, stays as it is. */
  async #seed(parts: WorkspaceParts, signal: AbortSignal): Promise<void> {
    const { context } = parts;
    const state = await readState(context);
    this.#workspaceId = this.#options.workspaceId ?? state?.workspaceId ?? this.#workspaceId;
    if (state !== undefined) {
      if (state.workspaceId !== this.#workspaceId) await writeState(context, this.#workspaceId);
      return;
    }
    const need = await seedingNeed(context);
    this.#isNew = need === 'begin';
    const { skillPaths = [] } = this.#options;
    const hasSeeds = this.#defaults.length > 0 || skillPaths.length > 0;
    const isJournaled = need === 'resume' || (need === 'begin' && hasSeeds);
    if (isJournaled) {
      if (need === 'begin') await beginSeeding(context, this.#workspaceId);
      await parts.mcps.seed();
      signal.throwIfAborted();
      await parts.skills.seed(skillPaths);
      signal.throwIfAborted();
    }
    await writeState(context, this.#workspaceId);
    if (isJournaled) await endSeeding(context);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#closing ??= this.#close().catch((error: unknown) => {
      // What could not be stopped is stopped by the next call.
      this.#closing = undefined;
      throw error;
    });
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#abort.abort();
    await this.#initialization?.catch(() => undefined);
    const parts = this.#parts;
    this.#status = 'closing';
    try {
      if (!this.#hasEndedProcesses) {
        this.#hasEndedProcesses = true;
        await parts?.endProcesses();
      }
    } finally {
      // Also where the processes could not be asked to end, since what they ran in is gone.
      this.#status = 'closed';
      if (parts !== undefined) await this.stopBackend(parts.context.backend);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async destroy(): Promise<void> {
    await this.close();
    await this.destroyBackend();
  }

  async reset(options: { readonly files?: boolean | undefined } = {}): Promise<void> {
    await this.use('reset', (parts) => parts.reset(options));
    this.#sessions.clear();
  }

  session(scope: Scope): WorkspaceSession {
    const key = scopeKey(scope);
    const existing = this.#sessions.get(key) ?? new BoundSession(scope, this.#owner);
    this.#sessions.set(key, existing);
    return existing;
  }

  async purgeSession(sessionId: string): Promise<void> {
    await this.use('purgeSession', (parts) => parts.purgeSession(sessionId));
  }

  async purgeAgent(agentId: string): Promise<void> {
    await this.use('purgeAgent', (parts) => parts.purgeAgent(agentId));
  }

  #open(method: string): WorkspaceParts {
    if (this.#isClosing) throw new WorkspaceClosedError({ workspaceId: this.#workspaceId });
    if (this.#parts === undefined) throw new WorkspaceNotInitializedError({ method });
    return this.#parts;
  }

  protected override async use<T>(method: string, work: (parts: WorkspaceParts) => Promise<T>): Promise<T> {
    const parts = this.#open(method);
    using _hold = this.#usage.hold();
    return await work(parts);
  }
}
