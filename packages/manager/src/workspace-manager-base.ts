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
import { WorkspaceCache } from './cache/workspace-cache.ts';
import { ManagerEvents } from './events/manager-events.ts';
import { Assignments } from './identity/assignments.ts';
import { checkId, checkKey } from './identity/check-key.ts';
import { OpenLeases } from './lives/open-leases.ts';
import { WorkspaceLives } from './lives/workspace-lives.ts';
import {
  checkPrewarm,
  derivedManagerId,
  type ManagerTimes,
  managerTimes,
  type WorkspaceManagerOptions,
} from './manager-options.ts';
import { PrewarmBuffer, type PrewarmOptions } from './prewarm/prewarm-buffer.ts';
import { type FoundSandbox, planReconciliation, type Reconciliation } from './reconcile/reconciliation.ts';
import type { ManagerStorage } from './storage/manager-storage.ts';
import { MemoryStorage } from './storage/memory-storage.ts';
import { WorkLeases } from './storage/work-leases.ts';

/** A replica that has not been heard of for so long is taken for dead. */
const HEARTBEAT_TTL_MS = 30_000;
const HEARTBEAT_MS = 10_000;

/** What a workspace has to be made with, beside the options that a manager has for all. */
export interface NewWorkspaceContext {
  readonly workspaceId: string;
  /** By which what it makes is labelled. */
  readonly managerId: string;
}

/** What is there from `initialize()` on. */
interface Running<W extends Workspace> {
  readonly managerId: string;
  readonly storage: ManagerStorage;
  readonly isBound: boolean;
  readonly assignments: Assignments;
  readonly lives: WorkspaceLives<W>;
  readonly prewarmed: PrewarmBuffer<W> | undefined;
}

/**
 * A manager of workspaces on any engine. An engine says how a workspace is made, and which sandboxes
 * are there; a policy of one's own overrides `assignWorkspaceId()` alone.
 */
export abstract class WorkspaceManagerBase<W extends Workspace> implements WorkspaceManager<W> {
  readonly #options: WorkspaceManagerOptions;
  readonly #times: ManagerTimes;
  readonly #events: ManagerEvents;
  readonly #cache: WorkspaceCache<W>;
  readonly #openLeases = new OpenLeases();
  readonly #replicaId = randomUUID();
  readonly #timers: NodeJS.Timeout[] = [];
  #storage: ManagerStorage | undefined;
  #running: Running<W> | undefined;
  #state: 'new' | 'ready' | 'closing' | 'closed' = 'new';
  #initialization: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  #disposal: Promise<void> | undefined;

  /** @throws `manager-options-invalid` */
  constructor(options: WorkspaceManagerOptions) {
    if (options.prewarm !== undefined) checkPrewarm(options.prewarm);
    this.#options = options;
    this.#times = managerTimes(options);
    this.#storage = options.storage;
    const { onEvent, tracer } = options;
    this.#events = new ManagerEvents({ onEvent, tracer, logger: this.logger });
    this.#cache = new WorkspaceCache<W>({
      build: (workspaceId, { signal }) => this.#build(workspaceId, signal),
      bury: async (workspace) => this.#running?.lives.evict(workspace, 'dead'),
    });
  }

  /** What the manager is for, the same after a restart: its engine, and where its data are. */
  protected abstract readonly purpose: string;
  /** Makes a workspace, without initializing it. */
  protected abstract newWorkspace(context: NewWorkspaceContext): W;

  /** The sandboxes that carry this manager's id. Default: none, for an engine where nothing outlives the process. */
  protected async listSandboxes(_context: { readonly managerId: string }): Promise<readonly FoundSandbox[]> {
    return [];
  }

  /** Stops a sandbox that no replica has open, as a workspace's `close()` would. Its data stay. */
  protected async stopSandbox(_sandbox: NewWorkspaceContext): Promise<void> {}

  /** Removes a workspace that nobody was ever given, with all that it has. */
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
    const storage = this.#storage ?? new MemoryStorage();
    await this.#heartbeat(storage);
    const running = await this.#assemble(storage);
    this.#running = running;
    this.#state = 'ready';
    await this.reconcile();
    this.#every(this.#times.sweepIntervalMs, () => this.sweep());
    this.#every(HEARTBEAT_MS, () => this.#beat(storage));
    running.prewarmed?.fill();
  }

  async #assemble(storage: ManagerStorage): Promise<Running<W>> {
    const { isolation = 'per-agent', prewarm } = this.#options;
    const isBound = this.#storage !== undefined;
    if (prewarm !== undefined && isolation !== 'per-session' && !isBound) {
      const reason = `with isolation '${isolation}', a workspace that was built before it had an owner is found again only by a storage. Bind one, or use 'per-session'.`;
      throw new ManagerOptionsInvalidError({ option: 'prewarm', reason });
    }
    const fallback = isBound ? () => storage.managerId() : async () => derivedManagerId(this.purpose);
    const managerId = this.#options.managerId ?? (await fallback());
    const replicaId = this.#replicaId;
    const lives = new WorkspaceLives<W>({
      storage,
      leases: new WorkLeases({ storage, replicaId }),
      replicaId,
      events: this.#events,
      make: (workspaceId) => this.newWorkspace({ workspaceId, managerId }),
    });
    const prewarmed = prewarm && this.#createBuffer(prewarm, lives);
    return {
      managerId,
      storage,
      isBound,
      lives,
      prewarmed,
      assignments: new Assignments({ isolation, storage, isBound, prewarmed }),
    };
  }

  #createBuffer(prewarm: PrewarmOptions, lives: WorkspaceLives<W>): PrewarmBuffer<W> {
    return new PrewarmBuffer<W>({
      ...prewarm,
      build: (workspaceId, options) => lives.open(workspaceId, options),
      discard: (workspace) => this.discardWorkspace(workspace),
      onPrewarmed: (workspaceId, durationMs) =>
        this.#events.emit({ type: 'workspace-prewarmed', workspaceId, durationMs }),
      onFailed: (error, workspaceId, since) => this.#events.fail('prewarm', error, { workspaceId, since }),
    });
  }

  async getWorkspace(key: WorkspaceKey, options: GetWorkspaceOptions = {}): Promise<W> {
    return await this.#give(key, options, (workspace) => {
      // A use, from which its time counts.
      workspace.hold()[Symbol.dispose]();
      return workspace;
    });
  }

  async lease(key: WorkspaceKey, options: GetWorkspaceOptions = {}): Promise<WorkspaceLease<W>> {
    return await this.#give(key, options, (workspace) => this.#openLeases.open(workspace, key));
  }

  async createWorkspace(key: Omit<WorkspaceKey, 'workspaceId'>, options: GetWorkspaceOptions = {}): Promise<W> {
    const { prewarmed, storage } = this.#use();
    checkKey(key);
    const workspaceId = prewarmed?.reserve() ?? randomUUID();
    await storage.claim(workspaceId, key.userId);
    return await this.getWorkspace({ ...key, workspaceId }, options);
  }

  assignWorkspaceId(key: WorkspaceKey): string | Promise<string> {
    return this.#use().assignments.assign(key);
  }

  async #give<T>(key: WorkspaceKey, { signal }: GetWorkspaceOptions, take: (workspace: W) => T): Promise<T> {
    const { storage } = this.#use();
    checkKey(key);
    let { workspaceId } = key;
    if (workspaceId === undefined) {
      workspaceId = await this.assignWorkspaceId(key);
      if (!this.#cache.has(workspaceId)) await storage.claim(workspaceId, key.userId);
    } else {
      await this.#authorize(key.userId, workspaceId, key);
    }
    return await this.#cache.use(workspaceId, take, { signal, onBegin: () => void this.#use() });
  }

  /** @throws `workspace-forbidden` unless the workspace is the user's */
  async #authorize(userId: string, workspaceId: string, key: WorkspaceKey): Promise<void> {
    const { storage } = this.#use();
    let owner = await storage.findOwner(workspaceId);
    if (owner === undefined) {
      const isTrusted = this.#options.trustWorkspaceIds === true || (await this.assignWorkspaceId(key)) === workspaceId;
      if (!isTrusted) throw new WorkspaceForbiddenError({ workspaceId, reason: 'owner-unknown' });
      owner = await storage.claim(workspaceId, userId);
    }
    if (owner !== userId) throw new WorkspaceForbiddenError({ workspaceId, reason: 'owned-by-another' });
  }

  async #build(workspaceId: string, signal: AbortSignal): Promise<W> {
    const { lives, prewarmed } = this.#use();
    const since = performance.now();
    try {
      const workspace = (await prewarmed?.take(workspaceId, { signal })) ?? (await lives.open(workspaceId, { signal }));
      const type = workspace.isNew ? 'workspace-created' : 'workspace-attached';
      this.#events.emit({ type, workspaceId, durationMs: performance.now() - since });
      return workspace;
    } catch (error) {
      if (!signal.aborted) this.#events.fail('build', error, { workspaceId, since });
      throw error;
    }
  }

  async close(workspaceId: string): Promise<void> {
    const running = this.#running;
    if (running === undefined || !this.#cache.has(workspaceId)) return;
    await this.#cache.end(workspaceId, async (workspace) => {
      if (workspace !== undefined) await running.lives.evict(workspace, 'closed');
    });
    running.assignments.forget(workspaceId);
  }

  async destroy(workspaceId: string): Promise<void> {
    const { assignments, lives } = this.#use();
    checkId(workspaceId, 'workspaceId');
    await this.#cache.end(workspaceId, (workspace) => lives.destroy(workspaceId, workspace));
    assignments.forget(workspaceId);
    this.#cache.forgive(workspaceId);
  }

  async closeAll(): Promise<void> {
    if (this.#state !== 'ready') return;
    this.#state = 'closing';
    await this.#closeAll();
    // Disposed meanwhile, it stays closed.
    if (this.#disposal === undefined) this.#state = 'ready';
  }

  async #closeAll(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    const aborted = this.#cache.abortBuilds();
    await this.#openLeases.drain(this.#times.drainTimeoutMs);
    const ends = this.#cache.endWhere(
      () => true,
      (workspace) => running.lives.evict(workspace, 'shutdown'),
    );
    await Promise.all([aborted, ends]);
  }

  /** Closes the workspaces whose time is over, side by side. What the sweeper does. */
  async sweep(): Promise<void> {
    const { ttlMs, maxBackgroundMs } = this.#times;
    const { assignments, lives } = this.#use();
    const longestMs = Math.max(ttlMs, maxBackgroundMs);
    const now = Date.now();
    this.#sweeping ??= this.#cache
      .endWhere(
        ({ isInUse, lastUsedAt, lastWorkAt }) => (isInUse ? now - lastWorkAt >= longestMs : now - lastUsedAt >= ttlMs),
        async (workspace) => {
          await lives.evict(workspace, 'idle');
          assignments.forget(workspace.workspaceId);
        },
      )
      .finally(() => {
        this.#sweeping = undefined;
      });
    await this.#sweeping;
  }

  /**
   * Deals with the sandboxes that carry this manager's id, and that no living replica has open: what has
   * an owner is adopted, what never had one is removed. Done by `initialize()`.
   *
   * @param options `dryRun` only tells what would be done
   */
  async reconcile({ dryRun = false }: { readonly dryRun?: boolean | undefined } = {}): Promise<
    readonly Reconciliation[]
  > {
    const { managerId, storage, isBound } = this.#use();
    const sandboxes = await this.listSandboxes({ managerId });
    const isOpenHere = (workspaceId: string): boolean => this.#cache.has(workspaceId);
    const options = { storage, isBound, isOpenHere };
    const plans = await Promise.all(sandboxes.map((sandbox) => planReconciliation(sandbox, options)));
    if (!dryRun) await Promise.allSettled(plans.map((plan) => this.#carryOut(plan)));
    return plans;
  }

  async #carryOut({ action, workspaceId }: Reconciliation): Promise<void> {
    const { lives, managerId } = this.#use();
    const since = performance.now();
    try {
      switch (action) {
        case 'leave':
          return;
        case 'adopt':
          // Nobody waits for it, and those who come meanwhile join.
          this.#cache.use(workspaceId, () => undefined).catch(() => undefined);
          return;
        case 'stop':
          await this.#cache.end(workspaceId, () => this.stopSandbox({ workspaceId, managerId }));
          break;
        case 'remove':
          await this.#cache.end(workspaceId, () => lives.destroy(workspaceId, undefined));
          break;
      }
    } catch (error) {
      this.#events.fail('reconcile', error, { workspaceId, since });
      return;
    }
    this.#events.emit({ type: 'workspace-reaped', workspaceId, durationMs: performance.now() - since });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose();
    await this.#disposal;
  }

  async #dispose(): Promise<void> {
    await this.#initialization?.catch(() => undefined);
    for (const timer of this.#timers) clearInterval(timer);
    this.#state = this.#state === 'new' ? 'closed' : 'closing';
    await Promise.all([this.#closeAll(), this.#running?.prewarmed?.close(), this.#sweeping]);
    this.#state = 'closed';
  }

  #use(): Running<W> {
    if (this.#state !== 'ready' || this.#running === undefined) {
      throw new ManagerClosedError({ state: this.#state === 'ready' ? 'new' : this.#state });
    }
    return this.#running;
  }

  #every(intervalMs: number, work: () => Promise<void>): void {
    const timer = setInterval(() => void work(), intervalMs);
    timer.unref();
    this.#timers.push(timer);
  }

  async #heartbeat(storage: ManagerStorage): Promise<void> {
    await storage.heartbeat({ replicaId: this.#replicaId, ttlMs: HEARTBEAT_TTL_MS });
  }

  async #beat(storage: ManagerStorage): Promise<void> {
    const since = performance.now();
    await this.#heartbeat(storage).catch((error: unknown) => this.#events.fail('heartbeat', error, { since }));
  }
}
