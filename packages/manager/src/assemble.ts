import { randomUUID } from 'node:crypto';
import { ManagerOptionsInvalidError, silentLogger, type Workspace } from '@agent-workspace/core';
import type { ManagerEvents } from './events/manager-events.ts';
import { Assignments } from './identity/assignments.ts';
import type { WorkspaceLayout } from './layout/workspace-layout.ts';
import { OpenWorkspaces } from './lives/open-workspaces.ts';
import { WorkspaceLives } from './lives/workspace-lives.ts';
import { derivedManagerId, type ManagerTimes, type WorkspaceManagerOptions } from './manager-options.ts';
import { PrewarmBuffer } from './prewarm/prewarm-buffer.ts';
import { Reconciler } from './reconcile/reconciler.ts';
import type { FoundSandbox } from './reconcile/reconciliation.ts';
import { Heartbeat } from './replica/heartbeat.ts';
import type { ManagerStorage } from './storage/manager-storage.ts';
import { MemoryStorage } from './storage/memory-storage.ts';
import { WorkLeases } from './storage/work-leases.ts';

/** What a workspace has to be made with, beside the options that a manager has for all. */
export interface NewWorkspaceContext {
  readonly workspaceId: string;
  /** By which what it makes is labelled. */
  readonly managerId: string;
}

export interface AssembleOptions<W extends Workspace> {
  readonly manager: WorkspaceManagerOptions;
  readonly times: ManagerTimes;
  readonly events: ManagerEvents;
  /** One that outlives this process, if any. */
  readonly storage: ManagerStorage | undefined;
  readonly purpose: string;
  readonly layout: WorkspaceLayout | undefined;
  readonly newWorkspace: (context: NewWorkspaceContext) => W;
  readonly discardWorkspace: (workspace: W) => Promise<void>;
  readonly listSandboxes: (context: { readonly managerId: string }) => Promise<readonly FoundSandbox[]>;
  readonly stopSandbox: (context: NewWorkspaceContext) => Promise<void>;
  /** Refuses, by throwing, to begin anything more. */
  readonly admit: () => void;
}

/** What a manager consists of from `initialize()` on. */
export interface Running<W extends Workspace> {
  readonly storage: ManagerStorage;
  readonly assignments: Assignments;
  readonly heartbeat: Heartbeat;
  readonly prewarmed: PrewarmBuffer<W> | undefined;
  readonly reconciler: Reconciler<W>;
  readonly workspaces: OpenWorkspaces<W>;
}

/** Puts the parts of a manager together. @throws `manager-options-invalid` */
export async function assemble<W extends Workspace>(options: AssembleOptions<W>): Promise<Running<W>> {
  const { manager, times, events, admit } = options;
  const isBound = options.storage !== undefined;
  const storage = options.storage ?? new MemoryStorage();
  const { isolation = 'per-agent', prewarm } = manager;
  if (prewarm !== undefined && isolation !== 'per-session' && !isBound) {
    const reason = `with isolation '${isolation}', a workspace that was built before it had an owner is found again only by a storage. Bind one, or use 'per-session'.`;
    throw new ManagerOptionsInvalidError({ option: 'prewarm', reason });
  }
  const managerId = manager.managerId ?? (isBound ? await storage.managerId() : derivedManagerId(options.purpose));
  const replicaId = randomUUID();
  const lives = new WorkspaceLives<W>({
    storage,
    leases: new WorkLeases({ storage, replicaId }),
    replicaId,
    events,
    make: (workspaceId) => options.newWorkspace({ workspaceId, managerId }),
    remove: options.discardWorkspace,
  });
  const prewarmed =
    prewarm &&
    new PrewarmBuffer<W>({
      ...prewarm,
      build: (workspaceId, build) => lives.openSlot(workspaceId, build),
      end: (workspace) => lives.endSlot(workspace),
      onPrewarmed: (workspaceId, durationMs) => events.emit({ type: 'workspace-prewarmed', workspaceId, durationMs }),
      onFailed: (error, workspaceId, since) => events.fail('prewarm', error, { workspaceId, since }),
    });
  const assignments = new Assignments({ isolation, storage, isBound, layout: options.layout, prewarmed });
  const workspaces = new OpenWorkspaces<W>({ storage, assignments, lives, prewarmed, events, times });
  const heartbeat = new Heartbeat({
    storage,
    replicaId,
    // In a storage of its own, nobody else can have taken it for dead.
    onLapse: async () => (isBound ? workspaces.recover() : undefined),
    onFailed: (error, since) => events.fail('heartbeat', error, { since }),
  });
  const reconciler = new Reconciler<W>({
    storage,
    isBound,
    workspaces,
    lives,
    events,
    logger: manager.logger ?? silentLogger,
    listSandboxes: () => options.listSandboxes({ managerId }),
    stopSandbox: (workspaceId) => options.stopSandbox({ workspaceId, managerId }),
    admit,
  });
  return { storage, assignments, heartbeat, prewarmed, reconciler, workspaces };
}
