import type { Workspace, WorkspaceSession } from './workspace.ts';

/** Who asks for a workspace. All ids may be any text; a user's agents and sessions are that user's own. */
export interface WorkspaceKey {
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
  /** Selects a workspace, and authorises nobody: it has to belong to `userId`. Default: the manager's policy. */
  readonly workspaceId?: string | undefined;
}

export interface GetWorkspaceOptions {
  /** Gives up waiting. What is being built for others goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** Keeps a workspace from being evicted until it is disposed, such as for a turn of a chat. */
export interface WorkspaceLease<W extends Workspace = Workspace> extends AsyncDisposable {
  readonly workspace: W;
  /** The workspace as the agent and session of the key use it. */
  readonly session: WorkspaceSession;
}

/** Allots workspaces to the users, agents and sessions of a service, and owns their lives. */
export interface WorkspaceManager<W extends Workspace = Workspace> extends AsyncDisposable {
  /**
   * The workspace of a key, ready: a cached one at once, else built or attached to.
   *
   * @throws `workspace-forbidden`, `workspace-lost`, `workspace-closed`, `manager-closed`, `id-invalid`, and what
   * the engine says where it cannot be built
   */
  getWorkspace(key: WorkspaceKey, options?: GetWorkspaceOptions): Promise<W>;
  /** As `getWorkspace()`, and in use until the lease is disposed. */
  lease(key: WorkspaceKey, options?: GetWorkspaceOptions): Promise<WorkspaceLease<W>>;
  /** @deprecated `getWorkspace()` makes what is not there. This one always makes a new workspace. */
  createWorkspace(key: Omit<WorkspaceKey, 'workspaceId'>, options?: GetWorkspaceOptions): Promise<W>;
  /** Which workspace a key without an explicit id gets. */
  assignWorkspaceId(key: WorkspaceKey): string | Promise<string>;
  /** Closes a workspace and forgets it; its data stay. An id that is not cached does nothing. */
  close(workspaceId: string): Promise<void>;
  /** Closes every workspace. Requests meanwhile get `manager-closed`. */
  closeAll(): Promise<void>;
  /** Removes a workspace with its data, cached or not. */
  destroy(workspaceId: string): Promise<void>;
}
