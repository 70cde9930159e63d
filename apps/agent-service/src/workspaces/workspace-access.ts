import type { Workspace, WorkspaceManager, WorkspaceSession } from '@agent-workspace/core';
import { workspaceNotFound } from '../http/service-error.ts';
import type { ServiceStore, SessionKey, WorkspaceRecord } from '../store/service-store.ts';
import { hostSafe } from './host-safe-session.ts';
import type { SessionNames } from './session-names.ts';

export interface WorkspaceAccessOptions {
  readonly manager: WorkspaceManager;
  readonly store: ServiceStore;
  readonly names: SessionNames;
  readonly ttlMs: number;
  /** Nothing of a tenant may run on this machine. */
  readonly isHostSafe: boolean;
  readonly onOwner: (workspaceId: string, tenant: string) => void;
}

/** A workspace while it is used, as one agent or session uses it. */
export interface Lease extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly session: WorkspaceSession;
}

export interface LeaseOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A tenant's workspace as a client is told of it. */
export interface WorkspaceView {
  readonly workspaceId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly status: 'open' | 'closed';
  readonly isInUse: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly ageMs: number;
  readonly evictsInMs: number | null;
}

/** The way from a tenant to its workspaces, and to no other's. */
export class WorkspaceAccess {
  readonly #options: WorkspaceAccessOptions;
  /** Those that are open, as far as they were asked for here. */
  readonly #open = new Map<string, Workspace>();

  constructor(options: WorkspaceAccessOptions) {
    this.#options = options;
  }

  /** The workspace that an agent's session has: made, opened, or the one that is open. */
  async lease(key: SessionKey, options: LeaseOptions = {}): Promise<Lease> {
    return await this.#lease(key, { agentId: key.agentId, sessionId: key.sessionId }, undefined, options);
  }

  /**
   * A workspace by its id, in the scope of an agent and perhaps a session.
   *
   * @throws `workspace-not-found` where it is not this tenant's
   */
  async leaseById(
    tenant: string,
    workspaceId: string,
    scope: { readonly agentId?: string | undefined; readonly sessionId?: string | undefined },
    options: LeaseOptions = {},
  ): Promise<Lease> {
    const { agentId, sessionId } = await this.find(tenant, workspaceId);
    const scoped = { agentId: scope.agentId ?? agentId, sessionId: scope.sessionId };
    return await this.#lease({ tenant, agentId, sessionId }, scoped, workspaceId, options);
  }

  async #lease(
    { tenant, agentId, sessionId }: SessionKey,
    scope: { readonly agentId: string; readonly sessionId: string | undefined },
    workspaceId: string | undefined,
    options: LeaseOptions,
  ): Promise<Lease> {
    const { manager, store, names, onOwner } = this.#options;
    const selected = workspaceId === undefined ? {} : { workspaceId };
    const lease = await manager.lease({ userId: tenant, agentId, sessionId, ...selected }, options);
    const { workspace } = lease;
    try {
      onOwner(workspace.workspaceId, tenant);
      await store.noteWorkspace(tenant, { workspaceId: workspace.workspaceId, agentId, sessionId });
    } catch (error) {
      await lease[Symbol.asyncDispose]();
      throw error;
    }
    this.#open.set(workspace.workspaceId, workspace);
    const inWorkspace =
      scope.sessionId === undefined
        ? undefined
        : names.inWorkspace({ agentId: scope.agentId, sessionId: scope.sessionId });
    const session = workspace.session({ agentId: scope.agentId, sessionId: inWorkspace });
    return {
      workspace,
      session: this.#options.isHostSafe ? hostSafe(session) : session,
      [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
    };
  }

  /** @throws `workspace-not-found` */
  async find(tenant: string, workspaceId: string): Promise<WorkspaceRecord> {
    const record = await this.#options.store.findWorkspace(tenant, workspaceId);
    if (record === undefined) throw workspaceNotFound();
    return record;
  }

  view(record: WorkspaceRecord): WorkspaceView {
    const { workspaceId, agentId, sessionId, createdAt } = record;
    const workspace = this.#open.get(workspaceId);
    const isOpen = workspace?.isAlive === true;
    const isInUse = isOpen && workspace.isInUse;
    const lastUsedAt = isOpen ? workspace.lastUsedAt : record.lastUsedAt;
    const evictsInMs = isOpen && !isInUse ? Math.max(0, lastUsedAt + this.#options.ttlMs - Date.now()) : null;
    return {
      workspaceId,
      agentId,
      sessionId,
      status: isOpen ? 'open' : 'closed',
      isInUse,
      createdAt: new Date(createdAt).toISOString(),
      lastUsedAt: new Date(lastUsedAt).toISOString(),
      ageMs: Math.max(0, Date.now() - createdAt),
      evictsInMs,
    };
  }

  /** How many are open that were asked for here. */
  get openCount(): number {
    return this.#open.size;
  }

  /** Lets go of one that the manager has closed. */
  forget(workspaceId: string): void {
    this.#open.delete(workspaceId);
  }

  async close(workspaceId: string): Promise<void> {
    await this.#options.manager.close(workspaceId);
  }

  async destroy(tenant: string, workspaceId: string): Promise<void> {
    await this.#options.manager.destroy(workspaceId);
    await this.#options.store.deleteWorkspace(tenant, workspaceId);
  }
}
