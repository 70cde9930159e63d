import { randomUUID } from 'node:crypto';
import {
  type GetWorkspaceOptions,
  type Logger,
  ManagerClosedError,
  ManagerOptionsInvalidError,
  silentLogger,
  type Workspace,
  WorkspaceForbiddenError,
  type WorkspaceKey,
  type WorkspaceLease,
  type WorkspaceManager,
} from '@agent-workspace/core';
import { assemble, type NewWorkspaceContext, type Running } from './assemble.ts';
import { ManagerEvents } from './events/manager-events.ts';
import { checkId, checkKey } from './identity/check-key.ts';
import type { WorkspaceLayout } from './layout/workspace-layout.ts';
import { checkPrewarm, type ManagerTimes, managerTimes, type WorkspaceManagerOptions } from './manager-options.ts';
import type { FoundSandbox, Reconciliation } from './reconcile/reconciliation.ts';
import type { ManagerStorage } from './storage/manager-storage.ts';

export type { NewWorkspaceContext } from './assemble.ts';

/**
 * A manager of workspaces on any engine. An engine says how a workspace is made, and which sandboxes
 * are there; a policy of one's own overrides `assignWorkspaceId()` alone.
 */
export abstract class WorkspaceManagerBase<W extends Workspace> implements WorkspaceManager<W> {
  readonly #options: WorkspaceManagerOptions;
  readonly #times: ManagerTimes;
  readonly #events: ManagerEvents;
  #storage: ManagerStorage | undefined;
  /** Of its own engine, and its own to close. */
  #ownStorage: ManagerStorage | undefined;
  #running: Running<W> | undefined;
  #state: 'new' | 'ready' | 'closing' | 'closed' = 'new';
  #initialization: Promise<void> | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #closingAll: Promise<void> | undefined;
  #disposal: Promise<void> | undefined;

  /** @throws `manager-options-invalid` */
  constructor(options: WorkspaceManagerOptions) {
    if (options.prewarm !== undefined) checkPrewarm(options.prewarm);
    this.#options = options;
    this.#times = managerTimes(options);
    this.#storage = options.storage;
    const { onEvent, tracer } = options;
    this.#events = new ManagerEvents({ onEvent, tracer, logger: this.logger });
  }

  /** What the manager is for, the same after a restart: its engine, and where its data are. */
  protected abstract readonly purpose: string;
  /** Makes a workspace, without initializing it. */
  protected abstract newWorkspace(context: NewWorkspaceContext): W;

  /** Other ids than ours. Default: none. */
  protected get layout(): WorkspaceLayout | undefined {
    return undefined;
  }

  /**
   * A storage of the engine itself, for a manager that is given none: made at `initialize()`, and closed with the
   * manager. Default: none.
   */
  protected makeStorage(): ManagerStorage | undefined {
    return undefined;
  }

  /** The sandboxes that carry this manager's id. Default: none, for an engine where nothing outlives the process. */
  protected async listSandboxes(_context: { readonly managerId: string }): Promise<readonly FoundSandbox[]> {
    return [];
  }

  /** Stops a sandbox that no replica has open, as a workspace's `close()` would. Its data stay if they are persistent. */
  protected async stopSandbox(_sandbox: NewWorkspaceContext): Promise<void> {}

  /** Removes a workspace with all that it has, initialized or not: one that is destroyed, or that nobody was ever given. */
  protected async discardWorkspace(workspace: W): Promise<void> {
    await workspace.destroy();
  }

  protected get logger(): Logger {
    return this.#options.logger ?? silentLogger;
  }

  /** Binds a storage, in place of the option. @throws `manager-options-invalid` after `initialize()` */
  bindStorage(storage: ManagerStorage): this {
    if (this.#initialization !== undefined) {
      throw new ManagerOptionsInvalidError({ option: 'storage', reason: 'it is bound before initialize().' });
    }
    this.#storage = storage;
    return this;
  }

  /**
   * Reconciles with what is there, then starts the sweeper and fills the prewarm buffer. Idempotent.
   *
   * @throws `manager-options-invalid`, `manager-closed`, and what the storage or the engine says
   */
  async initialize(): Promise<void> {
    if (this.#disposal !== undefined) throw new ManagerClosedError({ state: 'closed' });
    this.#initialization ??= this.#initialize().catch((error: unknown) => {
      this.#initialization = undefined;
      throw error;
    });
    await this.#initialization;
  }

  async #initialize(): Promise<void> {
    if (this.#storage === undefined) this.#ownStorage ??= this.makeStorage();
    const running = await assemble<W>({
      manager: this.#options,
      times: this.#times,
      events: this.#events,
      storage: this.#storage ?? this.#ownStorage,
      purpose: this.purpose,
      layout: this.layout,
      newWorkspace: (context) => this.newWorkspace(context),
      discardWorkspace: (workspace) => this.discardWorkspace(workspace),
      listSandboxes: (context) => this.listSandboxes(context),
      stopSandbox: (context) => this.stopSandbox(context),
      admit: () => this.#refuseLate(),
    });
    await running.heartbeat.start();
    this.#running = running;
    try {
      await running.reconciler.run({ dryRun: false });
    } catch (error) {
      running.heartbeat.stop();
      this.#running = undefined;
      throw error;
    }
    this.#state = 'ready';
    this.#sweeper = setInterval(() => this.#look(running), this.#times.sweepIntervalMs).unref();
    running.prewarmed?.fill();
  }

  #look({ workspaces, reconciler }: Running<W>): void {
    if (this.#state !== 'ready') return;
    void workspaces.sweep();
    void reconciler.runAgain();
  }

  async getWorkspace(key: WorkspaceKey, options: GetWorkspaceOptions = {}): Promise<W> {
    return await this.#give(key, options, (workspace) => {
      // A use, from which its time counts.
      workspace.hold()[Symbol.dispose]();
      return workspace;
    });
  }

  async lease(key: WorkspaceKey, options: GetWorkspaceOptions = {}): Promise<WorkspaceLease<W>> {
    const { leases } = this.#use().workspaces;
    return await this.#give(key, options, (workspace) => leases.open(workspace, key));
  }

  async createWorkspace(key: Omit<WorkspaceKey, 'workspaceId'>, options: GetWorkspaceOptions = {}): Promise<W> {
    const { prewarmed, storage, workspaces } = this.#use();
    checkKey(key);
    options.signal?.throwIfAborted();
    const workspaceId = prewarmed?.reserve() ?? randomUUID();
    try {
      await storage.claim(workspaceId, key.userId);
      return await this.getWorkspace({ ...key, workspaceId }, options);
    } catch (error) {
      // A slot that may be claimed goes to no other; nobody but this call knows its id. A failure tells of itself.
      const isLeft = prewarmed?.isReserved(workspaceId) === true && !workspaces.has(workspaceId);
      if (isLeft) void workspaces.destroy(workspaceId).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Which workspace a key gets, by the isolation: the place for a policy of one's own. Of a key with an explicit
   * `workspaceId` it tells what the key would have without it, and binds nothing.
   */
  assignWorkspaceId(key: WorkspaceKey): string | Promise<string> {
    const { assignments } = this.#use();
    return key.workspaceId === undefined ? assignments.assign(key) : assignments.find(key);
  }

  async #give<T>(key: WorkspaceKey, { signal }: GetWorkspaceOptions, take: (workspace: W) => T): Promise<T> {
    const { assignments, storage, workspaces } = this.#use();
    checkKey(key);
    signal?.throwIfAborted();
    let { workspaceId } = key;
    let prepare: () => Promise<void>;
    if (workspaceId === undefined) {
      const assigned = await this.assignWorkspaceId(key);
      checkId(assigned, 'workspaceId');
      workspaceId = assigned;
      const rebind = assignments.rebinding(assigned, key);
      prepare = async () => {
        await rebind();
        await storage.claim(assigned, key.userId);
      };
    } else {
      const named = workspaceId;
      await this.#authorize(named, key);
      prepare = () => this.#claim(named, key);
    }
    return await workspaces.use(workspaceId, take, { signal, admit: () => void this.#use(), prepare });
  }

  /** @throws `workspace-forbidden` unless the workspace is the user's */
  async #authorize(workspaceId: string, key: WorkspaceKey): Promise<void> {
    const { storage } = this.#use();
    const owner = await storage.findOwner(workspaceId);
    if (owner === undefined) {
      const isTrusted = this.#options.trustWorkspaceIds === true || (await this.assignWorkspaceId(key)) === workspaceId;
      if (!isTrusted) throw new WorkspaceForbiddenError({ workspaceId, reason: 'owner-unknown' });
      return await this.#claim(workspaceId, key);
    }
    checkOwner(owner, workspaceId, key);
  }

  async #claim(workspaceId: string, key: WorkspaceKey): Promise<void> {
    const { storage } = this.#use();
    checkOwner(await storage.claim(workspaceId, key.userId), workspaceId, key);
  }

  async close(workspaceId: string): Promise<void> {
    await this.#running?.workspaces.close(workspaceId);
  }

  async destroy(workspaceId: string): Promise<void> {
    const { workspaces } = this.#use();
    checkId(workspaceId, 'workspaceId');
    await workspaces.destroy(workspaceId);
  }

  async closeAll(): Promise<void> {
    if (this.#state !== 'ready' && this.#closingAll === undefined) return;
    await this.#closeAll();
    // Disposed meanwhile, it stays closed.
    if (this.#state === 'closing' && this.#disposal === undefined) this.#state = 'ready';
  }

  async #closeAll(): Promise<void> {
    this.#state = 'closing';
    this.#closingAll ??= (this.#running?.workspaces.closeAll() ?? Promise.resolve()).finally(() => {
      this.#closingAll = undefined;
    });
    await this.#closingAll;
  }

  /** Closes the workspaces whose time is over, side by side. What the sweeper does. */
  async sweep(): Promise<void> {
    const { workspaces } = this.#use();
    await workspaces.sweep();
  }

  /**
   * Deals with the sandboxes that carry this manager's id, and that no living replica has open: what has
   * an owner is adopted, a prewarmed one that nobody was given is removed. Done by `initialize()`, and with a storage
   * each time that the sweeper looks.
   *
   * @param options `dryRun` only tells what would be done
   */
  async reconcile({ dryRun = false }: { readonly dryRun?: boolean | undefined } = {}): Promise<
    readonly Reconciliation[]
  > {
    return await this.#use().reconciler.run({ dryRun });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose();
    await this.#disposal;
  }

  async #dispose(): Promise<void> {
    await this.#initialization?.catch(() => undefined);
    clearInterval(this.#sweeper);
    await Promise.all([this.#closeAll(), this.#running?.prewarmed?.close()]);
    this.#running?.heartbeat.stop();
    await this.#ownStorage?.close();
    this.#state = 'closed';
  }

  #use(): Running<W> {
    this.#refuseLate();
    if (this.#state !== 'ready' || this.#running === undefined) throw new ManagerClosedError({ state: 'new' });
    return this.#running;
  }

  #refuseLate(): void {
    if (this.#state === 'closing' || this.#state === 'closed') throw new ManagerClosedError({ state: this.#state });
  }
}

function checkOwner(owner: string, workspaceId: string, { userId }: WorkspaceKey): void {
  if (owner !== userId) throw new WorkspaceForbiddenError({ workspaceId, reason: 'owned-by-another' });
}
