import type { StartedBackend } from '@agent-workspace/core';
import { type Sandbox, SandboxedWorkspaceBase, type SandboxedWorkspaceOptions } from '@agent-workspace/gateway-client';
import type { KubernetesPodOptions } from './kubernetes-options.ts';
import { KubernetesSandbox } from './kubernetes-sandbox.ts';
import { explainingBackend } from './life/explaining-backend.ts';
import type { TransportKind } from './transport/transport.ts';

export interface KubernetesWorkspaceOptions extends SandboxedWorkspaceOptions, KubernetesPodOptions {}

/** A workspace in a Pod, with its files on a claim, which the agent sees as `/workspace`. */
export class KubernetesWorkspace extends SandboxedWorkspaceBase {
  readonly #kubernetes: KubernetesSandbox;

  /** @throws `kubernetes-options-invalid`, `mcp-declaration-invalid` */
  constructor(options: KubernetesWorkspaceOptions = {}) {
    super(options);
    this.#kubernetes = new KubernetesSandbox({ ...options, workspaceId: this.workspaceId, logger: this.logger });
  }

  /**
   * Makes a workspace and initializes it.
   *
   * @throws `kubernetes-unavailable`, `kubernetes-options-invalid`, `kubernetes-refused`, `pod-start-failed`,
   * `workspace-lost`, `gateway-start-failed`, `gateway-version-conflict`, `state-file-invalid`, `mcp-declaration-invalid`
   */
  static async open(
    options: KubernetesWorkspaceOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<KubernetesWorkspace> {
    const workspace = new KubernetesWorkspace(options);
    await workspace.initialize({ signal: options.signal });
    return workspace;
  }

  /** How the gateway is reached, while the workspace is open. */
  get transport(): TransportKind | undefined {
    return this.#kubernetes.transport;
  }

  protected override createSandbox(): Sandbox {
    if (!this.#kubernetes.isPersistent) {
      this.logger.info('With deleteVolumeOnClose, the data of this workspace go when it is closed.');
    }
    return this.#kubernetes;
  }

  protected override async startBackend(options: { readonly signal: AbortSignal }): Promise<StartedBackend> {
    const { backend, undo } = await super.startBackend(options);
    const sandbox = this.#kubernetes;
    const explaining = explainingBackend(backend, {
      podUid: () => sandbox.podUid,
      whyLost: (uid) => sandbox.whyLost(uid),
      logger: this.logger,
    });
    return { backend: explaining, undo };
  }

  protected override async destroyBackend(): Promise<void> {
    await this.#kubernetes.removeData();
  }
}
