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
}

/** Opens, closes and destroys workspaces, each by one replica at a time, and tells of it. */
export class WorkspaceLives<W extends Workspace> {
  readonly #options: WorkspaceLivesOptions<W>;

  constructor(options: WorkspaceLivesOptions<W>) {
    this.#options = options;
  }

  /** Makes a workspace ready: a new one, or the one that is there. */
  async open(workspaceId: string, { signal }: { readonly signal: AbortSignal }): Promise<W> {
    const { storage, leases, replicaId, make } = this.#options;
    return await leases.run(
      workspaceId,
      async (lease, options) => {
        const workspace = make(workspaceId);
        try {
          await workspace.initialize(options);
          if (!(await storage.attach(lease, replicaId))) throw new LeaseUnavailableError({ workspaceId, waitedMs: 0 });
          return workspace;
        } catch (error) {
          await workspace.close();
          throw error;
        }
      },
      { signal },
    );
  }

  async evict(workspace: W, reason: EvictionReason): Promise<void> {
    const { workspaceId } = workspace;
    await this.#end('evict', workspaceId, reason, async () => {
      try {
        await workspace.close();
      } finally {
        await this.#options.storage.detach(workspaceId, this.#options.replicaId);
      }
    });
  }

  /** @param open the workspace, if it is open here */
  async destroy(workspaceId: string, open: W | undefined): Promise<void> {
    const { storage, make } = this.#options;
    await this.#end('destroy', workspaceId, 'destroyed', async () => {
      await (open ?? make(workspaceId)).destroy();
      await storage.forget(workspaceId);
    });
  }

  async #end(
    operation: 'evict' | 'destroy',
    workspaceId: string,
    reason: EvictionReason,
    work: () => Promise<void>,
  ): Promise<void> {
    const { events, leases } = this.#options;
    const since = performance.now();
    try {
      await leases.run(workspaceId, work);
    } catch (error) {
      events.fail(operation, error, { workspaceId, since });
      throw error;
    }
    events.emit({ type: 'workspace-evicted', reason, workspaceId, durationMs: performance.now() - since });
  }
}
