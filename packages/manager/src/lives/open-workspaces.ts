import { type Workspace, WorkspaceClosedError } from '@agent-workspace/core';
import { lostError } from '../cache/lost-error.ts';
import { type BuildOptions, type UseOptions, WorkspaceCache } from '../cache/workspace-cache.ts';
import type { EvictionReason } from '../events/manager-event.ts';
import type { ManagerEvents } from '../events/manager-events.ts';
import type { Assignments } from '../identity/assignments.ts';
import type { ManagerTimes } from '../manager-options.ts';
import type { PrewarmBuffer } from '../prewarm/prewarm-buffer.ts';
import type { ManagerStorage } from '../storage/manager-storage.ts';
import { OpenLeases } from './open-leases.ts';
import type { WorkspaceLives } from './workspace-lives.ts';

export interface OpenWorkspacesOptions<W extends Workspace> {
  readonly storage: ManagerStorage;
  readonly assignments: Assignments;
  readonly lives: WorkspaceLives<W>;
  readonly prewarmed: PrewarmBuffer<W> | undefined;
  readonly events: ManagerEvents;
  readonly times: ManagerTimes;
}

/** The workspaces that this replica has open: how each comes to be, and the ways in which it ends. */
export class OpenWorkspaces<W extends Workspace> {
  readonly #options: OpenWorkspacesOptions<W>;
  readonly #cache: WorkspaceCache<W>;
  readonly leases: OpenLeases = new OpenLeases();

  constructor(options: OpenWorkspacesOptions<W>) {
    this.#options = options;
    this.#cache = new WorkspaceCache<W>({
      build: (workspaceId, build) => this.#build(workspaceId, build),
      bury: (workspace) => this.#evict(workspace, 'dead'),
    });
  }

  has(workspaceId: string): boolean {
    return this.#cache.has(workspaceId);
  }

  /** @see WorkspaceCache.use */
  async use<T>(workspaceId: string, take: (workspace: W) => T, options: UseOptions): Promise<T> {
    return await this.#cache.use(workspaceId, take, options);
  }

  /** Does something that needs a workspace not to be open. It must not be. */
  async keepShut(workspaceId: string, work: () => Promise<void>): Promise<void> {
    await this.#cache.end(workspaceId, work);
  }

  async close(workspaceId: string): Promise<void> {
    if (!this.#cache.has(workspaceId)) return;
    await this.#cache.end(workspaceId, async (workspace) => {
      if (workspace !== undefined) await this.#evict(workspace, 'closed');
    });
  }

  async destroy(workspaceId: string): Promise<void> {
    const { assignments, lives, prewarmed } = this.#options;
    await this.#cache.end(workspaceId, async (workspace) => {
      await prewarmed?.drop(workspaceId);
      await lives.destroy(workspaceId, workspace);
      this.#cache.forgive(workspaceId);
      assignments.forget(workspaceId);
    });
  }

  /** Closes those whose time is over, side by side. Each failure is told, and keeps no other from its end. */
  async sweep(): Promise<void> {
    const { ttlMs, maxBackgroundMs } = this.#options.times;
    const longestMs = Math.max(ttlMs, maxBackgroundMs);
    const now = Date.now();
    const isOver = ({ isInUse, lastUsedAt, lastWorkAt }: W): boolean =>
      isInUse ? now - lastWorkAt >= longestMs : now - lastUsedAt >= ttlMs;
    await this.#cache.endWhere(isOver, (workspace) => this.#evict(workspace, 'idle'));
  }

  /** Aborts what is built, waits for leases as long as may be, and closes all. */
  async closeAll(): Promise<void> {
    const evict = (workspace: W): Promise<void> => this.#evict(workspace, 'shutdown');
    const aborted = this.#cache.abortBuilds(evict);
    await this.leases.drain(this.#options.times.drainTimeoutMs);
    await Promise.all([aborted, this.#cache.endWhere(() => true, evict)]);
    // Those that someone else had begun to end.
    await this.#cache.untilEnded();
  }

  /**
   * After others may have taken this replica for dead: says again what is open here, and gives up what
   * was destroyed meanwhile.
   */
  async recover(): Promise<void> {
    const { lives, prewarmed } = this.#options;
    const slots = (prewarmed?.listReady() ?? []).map((workspaceId) => lives.reattach(workspaceId));
    const open = this.#cache.listReady().map((workspace) => this.#recoverOne(workspace));
    const ends = await Promise.allSettled([...slots, ...open]);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #recoverOne(workspace: W): Promise<void> {
    const { lives, storage } = this.#options;
    const { workspaceId } = workspace;
    if ((await storage.findOwner(workspaceId)) !== undefined) return await lives.reattach(workspaceId);
    await this.#cache.endWhere(
      (candidate) => candidate === workspace,
      () => this.#evict(workspace, 'dead'),
    );
  }

  async #build(workspaceId: string, { signal, hasDied, prepare }: BuildOptions): Promise<W> {
    const { assignments, events } = this.#options;
    const since = performance.now();
    try {
      const workspace = await this.#open(workspaceId, {
        signal,
        prepare: async () => {
          if (hasDied) await this.#checkNotForgotten(workspaceId);
          await prepare?.();
        },
      });
      if (hasDied && workspace.isNew) await this.#lose(workspace);
      const type = workspace.isNew ? 'workspace-created' : 'workspace-attached';
      events.emit({ type, workspaceId, durationMs: performance.now() - since });
      return workspace;
    } catch (error) {
      assignments.forget(workspaceId);
      if (!signal.aborted) events.fail('build', error, { workspaceId, since });
      throw error;
    }
  }

  async #open(
    workspaceId: string,
    { signal, prepare }: { readonly signal: AbortSignal; readonly prepare: () => Promise<void> },
  ): Promise<W> {
    const { lives, prewarmed } = this.#options;
    if (prewarmed?.isReserved(workspaceId) === true) {
      // It is claimed before it is handed over: from then on no slot, which anyone may remove.
      await prepare();
      const slot = await prewarmed.take(workspaceId, { signal });
      if (slot !== undefined) return slot;
    }
    return await lives.open(workspaceId, { signal, prepare });
  }

  /** Another replica has destroyed it, and what its key has from now on need not be this id. */
  async #checkNotForgotten(workspaceId: string): Promise<void> {
    if ((await this.#options.storage.findOwner(workspaceId)) !== undefined) return;
    this.#cache.forgive(workspaceId);
    throw new WorkspaceClosedError({ workspaceId });
  }

  /** Nothing new takes the place of data that have gone. */
  async #lose(empty: W): Promise<never> {
    const { workspaceId } = empty;
    this.#cache.lose(workspaceId);
    await this.#options.lives.discard(empty);
    throw lostError(workspaceId);
  }

  async #evict(workspace: W, reason: EvictionReason): Promise<void> {
    const { assignments, lives } = this.#options;
    assignments.forget(workspace.workspaceId);
    await lives.evict(workspace, reason);
  }
}
