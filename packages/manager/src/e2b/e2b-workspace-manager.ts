import {
  E2BWorkspace,
  type E2BWorkspaceOptions,
  listManagedSandboxes,
  pauseManagedSandbox,
} from '@agent-workspace/e2b';
import type { ManagedWorkspaceEventListener } from '../events/managed-workspace-event-listener.ts';
import type { WorkspaceManagerOptions } from '../manager-options.ts';
import type { FoundSandbox } from '../reconcile/reconciliation.ts';
import { type NewWorkspaceContext, WorkspaceManagerBase } from '../workspace-manager-base.ts';

/** What a manager says for each workspace by itself. */
type OfEachWorkspace = 'workspaceId' | 'managerId' | 'mustExist' | 'onEvent' | 'logger';

export interface E2BWorkspaceManagerOptions
  extends WorkspaceManagerOptions, Omit<E2BWorkspaceOptions, OfEachWorkspace> {
  /** What a workspace tells, and which one; the manager's own events go to `onEvent`. */
  readonly onWorkspaceEvent?: ManagedWorkspaceEventListener | undefined;
}

/** Workspaces in sandboxes of E2B, each with its data in it: paused when it is closed, killed when it is destroyed. */
export class E2BWorkspaceManager extends WorkspaceManagerBase<E2BWorkspace> {
  readonly #options: E2BWorkspaceManagerOptions;

  /** @throws `manager-options-invalid` */
  constructor(options: E2BWorkspaceManagerOptions = {}) {
    super(options);
    this.#options = options;
    if (options.managerId === undefined && options.storage === undefined) {
      this.logger.warn(
        'Without managerId, and unless a storage is bound, workspaces are found again on this host and from this working directory alone.',
      );
    }
  }

  /**
   * Makes a manager of the class that it is called on, and initializes it.
   *
   * @throws `manager-options-invalid`, `e2b-options-invalid`, `e2b-request-failed`
   */
  static async open<M extends E2BWorkspaceManager>(
    this: new (options: E2BWorkspaceManagerOptions) => M,
    options: E2BWorkspaceManagerOptions = {},
  ): Promise<M> {
    const manager = new this(options);
    await manager.initialize();
    return manager;
  }

  /** Two services of a host and an account of E2B are told apart by where they run. */
  protected override get purpose(): string {
    return `e2b:${process.cwd()}`;
  }

  protected override newWorkspace({ workspaceId, managerId }: NewWorkspaceContext): E2BWorkspace {
    return new E2BWorkspace({
      ...this.#options,
      workspaceId,
      managerId,
      onEvent: (event) => this.#options.onWorkspaceEvent?.(event, workspaceId),
    });
  }

  protected override async listSandboxes({
    managerId,
  }: Pick<NewWorkspaceContext, 'managerId'>): Promise<readonly FoundSandbox[]> {
    const found = await listManagedSandboxes({ ...this.#options, managerId });
    return found.map(({ isRunning, ...sandbox }) => ({ ...sandbox, isRunning, isClosed: !isRunning }));
  }

  protected override async stopSandbox({ workspaceId, managerId }: NewWorkspaceContext): Promise<void> {
    await pauseManagedSandbox({ ...this.#options, workspaceId, managerId });
  }
}
