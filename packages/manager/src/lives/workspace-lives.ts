import { LeaseUnavailableError, type Workspace } from '@agent-workspace/core';
import type { EvictionReason } from '../events/manager-event.ts';
import type { ManagerEvents } from '../events/manager-events.ts';
import type { ManagerStorage } from '../storage/manager-storage.ts';
import type { WorkLeases } from '../storage/work-leases.ts';

export interface WorkspaceLivesOptions<W> {
  readonly storage: ManagerStorage;
  readonly leases: WorkLeases;
  readonly replicaId: string;
  readonly events: ManagerEvents;
  /** Makes a workspace, without initializing it. */
  readonly make: (workspaceId: string) => W;
  /** Removes a workspace with all that it has, whether or not it was initialized. */
  readonly remove: (workspace: W) => Promise<void>;
}

export interface OpenOptions {
  readonly signal: AbortSignal;
  /**
   * Records whose the workspace is, before it is made. Called when nobody else is at work on it: whatever a replica has
   * made it forget meanwhile is recorded anew.
   */
  readonly prepare?: (() => Promise<unknown>) | undefined;
}

/** Opens, closes and destroys workspaces, each by one replica at a time, and tells of it. */
export class WorkspaceLives<W extends Workspace> {
  readonly #options: WorkspaceLivesOptions<W>;

  constructor(options: WorkspaceLivesOptions<W>) {
    this.#options = options;
  }

  /** Makes a workspace ready: a new one, or the one that is there. */
  async open(workspaceId: string, { signal, prepare }: OpenOptions): Promise<W> {
    const { storage, leases, replicaId, make } = this.#options;
    return await leases.run(
      workspaceId,
      async (lease, options) => {
        await prepare?.();
        const workspace = make(workspaceId);
        try {
          await workspace.initialize(options);
          if (!(await storage.attach(lease, replicaId))) throw new LeaseUnavailableError({ workspaceId, waitedMs: 0 });
          return workspace;
        } catch (error) {
          await this.#closeFailed(workspace);
          throw error;
        }
      },
      { signal },
    );
  }

  /** Makes a workspace ready for whoever comes first. What is made of one that fails is removed, unless it has been claimed. */
  async openSlot(workspaceId: string, { signal }: { readonly signal: AbortSignal }): Promise<W> {
    const { storage, events } = this.#options;
    let isMarked = false;
    const prepare = async (): Promise<void> => {
      await storage.markSlot(workspaceId);
      isMarked = true;
    };
    try {
      return await this.open(workspaceId, { signal, prepare });
    } catch (error) {
      const since = performance.now();
      if (isMarked) {
        const removing = this.reap(
          workspaceId,
          () => storage.isSlot(workspaceId),
          () => this.destroyNobodys(workspaceId),
        );
        // As long as its mark is there, the next look removes it.
        await removing.catch((failure: unknown) => events.fail('prewarm', failure, { workspaceId, since }));
      }
      throw error;
    }
  }

  /** Says again that a workspace is open here, after others may have taken this replica for dead. */
  async reattach(workspaceId: string): Promise<void> {
    const { storage, leases, replicaId } = this.#options;
    await leases.run(workspaceId, async (lease) => {
      if (!(await storage.attach(lease, replicaId))) throw new LeaseUnavailableError({ workspaceId, waitedMs: 0 });
    });
  }

  async evict(workspace: W, reason: EvictionReason): Promise<void> {
    const { leases, storage, replicaId } = this.#options;
    const { workspaceId } = workspace;
    await this.#tell('evict', workspaceId, reason, async () => {
      try {
        await leases.run(workspaceId, () => workspace.close());
      } finally {
        // Also where no lease is to be had, since the storage has gone: what is open here is ours to close.
        try {
          await workspace.close();
        } finally {
          await storage.detach(workspaceId, replicaId);
        }
      }
    });
  }

  /** @param open the workspace, if it is open here */
  async destroy(workspaceId: string, open: W | undefined): Promise<void> {
    const { leases, storage, make, remove } = this.#options;
    await this.#tell('destroy', workspaceId, 'destroyed', () =>
      leases.run(workspaceId, async () => {
        await remove(open ?? make(workspaceId));
        await storage.forget(workspaceId);
      }),
    );
  }

  /**
   * Ends a slot that is open here: removes it with all that is known of it, or only closes it where it was claimed,
   * since another replica may have given it to its owner.
   */
  async endSlot(workspace: W): Promise<void> {
    const { leases, storage, replicaId, remove } = this.#options;
    const { workspaceId } = workspace;
    try {
      await leases.run(workspaceId, async () => {
        if (!(await storage.isSlot(workspaceId))) return await workspace.close();
        await remove(workspace);
        await storage.forget(workspaceId);
      });
    } finally {
      // Also where no lease is to be had.
      try {
        await workspace.close();
      } finally {
        await storage.detach(workspaceId, replicaId);
      }
    }
  }

  /** Removes one that is open here, is new and was given to nobody. Its owner and bindings stay. */
  async discard(workspace: W): Promise<void> {
    const { storage, replicaId, remove } = this.#options;
    try {
      await remove(workspace);
    } finally {
      await storage.detach(workspace.workspaceId, replicaId);
    }
  }

  /**
   * Does away with what nobody has open: unless a replica is at work on it, or has made it another's by
   * the time that none can be.
   *
   * @returns whether it was done
   */
  async reap(workspaceId: string, isNobodys: () => Promise<boolean>, work: () => Promise<void>): Promise<boolean> {
    const reaping = this.#options.leases.run(
      workspaceId,
      async () => {
        if (!(await isNobodys())) return false;
        await work();
        return true;
      },
      { patienceMs: 0 },
    );
    return await reaping.catch((error: unknown) => {
      if (LeaseUnavailableError.isInstance(error)) return false;
      throw error;
    });
  }

  /** Removes one that is not open anywhere, with all that is known of it. */
  async destroyNobodys(workspaceId: string): Promise<void> {
    const { make, remove, storage } = this.#options;
    await remove(make(workspaceId));
    await storage.forget(workspaceId);
  }

  async #tell(
    operation: 'evict' | 'destroy',
    workspaceId: string,
    reason: EvictionReason,
    work: () => Promise<void>,
  ): Promise<void> {
    const { events } = this.#options;
    const since = performance.now();
    try {
      await work();
    } catch (error) {
      events.fail(operation, error, { workspaceId, since });
      throw error;
    }
    events.emit({ type: 'workspace-evicted', reason, workspaceId, durationMs: performance.now() - since });
  }

  /** What made the build fail is what its caller has to know. */
  async #closeFailed(workspace: W): Promise<void> {
    const since = performance.now();
    try {
      await workspace.close();
    } catch (error) {
      this.#options.events.fail('build', error, { workspaceId: workspace.workspaceId, since });
    }
  }
}
