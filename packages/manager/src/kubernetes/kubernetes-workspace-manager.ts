import {
  KubernetesWorkspace,
  type KubernetesWorkspaceOptions,
  listManagedPods,
  removeManagedPod,
} from '@agent-workspace/kubernetes';
import type { ManagedWorkspaceEventListener } from '../events/managed-workspace-event-listener.ts';
import type { WorkspaceManagerOptions } from '../manager-options.ts';
import type { FoundSandbox } from '../reconcile/reconciliation.ts';
import { KubernetesStorage } from '../storage/kubernetes/kubernetes-storage.ts';
import type { ManagerStorage } from '../storage/manager-storage.ts';
import { type NewWorkspaceContext, WorkspaceManagerBase } from '../workspace-manager-base.ts';

/** What a manager says for each workspace by itself. */
type OfEachWorkspace = 'workspaceId' | 'managerId' | 'onEvent' | 'logger';

export interface KubernetesWorkspaceManagerOptions
  extends WorkspaceManagerOptions, Omit<KubernetesWorkspaceOptions, OfEachWorkspace> {
  /** What outlives this process, and what replicas agree by. Default: the cluster itself, as a `KubernetesStorage`. */
  readonly storage?: ManagerStorage | undefined;
  /**
   * Marks this service's Pods and claims, and keeps what its storage in the cluster knows apart from other services of
   * the namespace. Default: made once and kept in the storage, for the one service of the namespace.
   */
  readonly managerId?: string | undefined;
  /** What a workspace tells, and which one; the manager's own events go to `onEvent`. */
  readonly onWorkspaceEvent?: ManagedWorkspaceEventListener | undefined;
}

/**
 * Workspaces in Pods of a Kubernetes cluster, each with its data in a claim: closing a workspace removes its Pod,
 * destroying it removes both. The service's replicas agree by the cluster itself.
 */
export class KubernetesWorkspaceManager extends WorkspaceManagerBase<KubernetesWorkspace> {
  readonly #options: KubernetesWorkspaceManagerOptions;

  /** @throws `manager-options-invalid` */
  constructor(options: KubernetesWorkspaceManagerOptions = {}) {
    super(options);
    this.#options = options;
  }

  /**
   * Makes a manager of the class that it is called on, and initializes it.
   *
   * @throws `manager-options-invalid`, `kubernetes-options-invalid`, `kubernetes-unavailable`, `kubernetes-refused`,
   * `manager-storage-failed`
   */
  static async open<M extends KubernetesWorkspaceManager>(
    this: new (options: KubernetesWorkspaceManagerOptions) => M,
    options: KubernetesWorkspaceManagerOptions = {},
  ): Promise<M> {
    const manager = new this(options);
    await manager.initialize();
    return manager;
  }

  protected override get purpose(): string {
    const { kubeconfig, context, namespace } = this.#options;
    return `kubernetes:${JSON.stringify({ kubeconfig, context, namespace })}`;
  }

  protected override makeStorage(): ManagerStorage {
    const { kubeconfig, context, namespace, managerId } = this.#options;
    return new KubernetesStorage({ kubeconfig, context, namespace, service: managerId });
  }

  protected override newWorkspace({ workspaceId, managerId }: NewWorkspaceContext): KubernetesWorkspace {
    return new KubernetesWorkspace({
      ...this.#options,
      workspaceId,
      managerId,
      onEvent: (event) => this.#options.onWorkspaceEvent?.(event, workspaceId),
    });
  }

  protected override async listSandboxes({
    managerId,
  }: Pick<NewWorkspaceContext, 'managerId'>): Promise<readonly FoundSandbox[]> {
    const { kubeconfig, context, namespace, deleteVolumeOnClose } = this.#options;
    return await listManagedPods({ managerId, kubeconfig, context, namespace, deleteVolumeOnClose });
  }

  protected override async stopSandbox({ workspaceId, managerId }: NewWorkspaceContext): Promise<void> {
    const { kubeconfig, context, namespace, deleteVolumeOnClose } = this.#options;
    await removeManagedPod({ workspaceId, managerId, kubeconfig, context, namespace, deleteVolumeOnClose });
  }
}
