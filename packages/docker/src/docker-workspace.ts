import { type Sandbox, SandboxedWorkspaceBase, type SandboxedWorkspaceOptions } from '@agent-workspace/gateway-client';
import type { DockerContainerOptions } from './docker-options.ts';
import { DockerSandbox } from './docker-sandbox.ts';

export interface DockerWorkspaceOptions extends SandboxedWorkspaceOptions, DockerContainerOptions {}

/** A workspace in a Docker container, which the agent sees as `/workspace`. */
export class DockerWorkspace extends SandboxedWorkspaceBase {
  readonly #docker: DockerSandbox;
  #removesWorkdir = false;

  /** @throws `docker-options-invalid`, `mcp-declaration-invalid` */
  constructor(options: DockerWorkspaceOptions = {}) {
    super(options);
    this.#docker = new DockerSandbox({
      ...options,
      newWorkspaceId: this.workspaceId,
      logger: this.logger,
      onProgress: (message) => this.emit({ type: 'build-progressed', message }),
    });
  }

  /**
   * Makes a workspace and initializes it.
   *
   * @throws `docker-unavailable`, `docker-options-invalid`, `image-build-failed`, `image-pull-failed`,
   * `base-image-lacks-python`, `container-start-failed`, `workdir-invalid`, `workdir-not-writable`,
   * `workdir-not-shared`, `gateway-start-failed`, `state-file-invalid`, `mcp-declaration-invalid`
   */
  static async open(
    options: DockerWorkspaceOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<DockerWorkspace> {
    const workspace = new DockerWorkspace(options);
    await workspace.initialize({ signal: options.signal });
    return workspace;
  }

  /**
   * Ends the workspace, and removes its container and its volume.
   *
   * @param options `workdir: true` removes that directory of this host, too
   */
  override async destroy(options: { readonly workdir?: boolean | undefined } = {}): Promise<void> {
    this.#removesWorkdir = options.workdir === true;
    await super.destroy();
  }

  protected override createSandbox(): Sandbox {
    if (!this.#docker.isPersistent) {
      this.logger.info('Without workdir or volume, the data of this workspace go when it is closed.');
    }
    return this.#docker;
  }

  protected override async destroyBackend(): Promise<void> {
    await this.#docker.removeData({ workdir: this.#removesWorkdir });
  }
}
