import { join, resolve } from 'node:path';
import { encodeId, type WorkspaceKey } from '@agent-workspace/core';
import {
  DockerWorkspace,
  type DockerWorkspaceOptions,
  listManagedContainers,
  removeManagedContainer,
} from '@agent-workspace/docker';
import type { ManagedWorkspaceEventListener } from '../events/managed-workspace-event-listener.ts';
import { AgentscopeLayout } from '../layout/agentscope-layout.ts';
import type { WorkspaceLayout } from '../layout/workspace-layout.ts';
import type { WorkspaceManagerOptions } from '../manager-options.ts';
import type { FoundSandbox } from '../reconcile/reconciliation.ts';
import { type NewWorkspaceContext, WorkspaceManagerBase } from '../workspace-manager-base.ts';

/** What a manager says for each workspace by itself. */
type OfEachWorkspace = 'workspaceId' | 'workdir' | 'volume' | 'managerId' | 'onEvent' | 'logger';

export interface DockerWorkspaceManagerOptions
  extends WorkspaceManagerOptions, Omit<DockerWorkspaceOptions, OfEachWorkspace> {
  /**
   * Where the directories of the workspaces are on this host, each named by its id, and mounted in its container.
   * Default: none. Then the data are in the containers and end with them: closing a workspace, for whatever reason,
   * is its end.
   */
  readonly basedir?: string | undefined;
  /**
   * `'agentscope'` derives ids as AgentScope does, and opens its older directories, `{basedir}/{userId}/{agentId}`.
   * Its ids of two users can be the same, if users choose theirs.
   */
  readonly layout?: 'agentscope' | undefined;
  /** What a workspace tells, and which one; the manager's own events go to `onEvent`. */
  readonly onWorkspaceEvent?: ManagedWorkspaceEventListener | undefined;
}

/** Workspaces in containers of a Docker Engine. */
export class DockerWorkspaceManager extends WorkspaceManagerBase<DockerWorkspace> {
  readonly #options: DockerWorkspaceManagerOptions;
  readonly #basedir: string | undefined;
  readonly #agentscope: AgentscopeLayout | undefined;

  /** @throws `manager-options-invalid` */
  constructor(options: DockerWorkspaceManagerOptions = {}) {
    super(options);
    this.#options = options;
    this.#basedir = options.basedir === undefined ? undefined : resolve(options.basedir);
    if (options.layout === 'agentscope') {
      const older = { depth: 2, namesOf: ({ userId, agentId }: WorkspaceKey) => [userId, agentId] };
      this.#agentscope = new AgentscopeLayout({ basedir: this.#basedir, older });
    }
    if (this.#basedir === undefined) {
      this.logger.info('Without basedir, the data of a workspace go when it is closed, also for its time being over.');
    }
  }

  /**
   * Makes a manager of the class that it is called on, and initializes it.
   *
   * @throws `manager-options-invalid`, `docker-unavailable`
   */
  static async open<M extends DockerWorkspaceManager>(
    this: new (options: DockerWorkspaceManagerOptions) => M,
    options: DockerWorkspaceManagerOptions = {},
  ): Promise<M> {
    const manager = new this(options);
    await manager.initialize();
    return manager;
  }

  /** Without a basedir, two services of a host are told apart by where they run. */
  protected override get purpose(): string {
    const where = this.#basedir === undefined ? { workingDirectory: process.cwd() } : { basedir: this.#basedir };
    return `docker:${JSON.stringify({ dockerHost: this.#options.dockerHost, ...where })}`;
  }

  protected override get layout(): WorkspaceLayout | undefined {
    return this.#agentscope;
  }

  protected override newWorkspace({ workspaceId, managerId }: NewWorkspaceContext): DockerWorkspace {
    const name = this.#agentscope?.directoryOf(workspaceId) ?? encodeId(workspaceId);
    return new DockerWorkspace({
      ...this.#options,
      workspaceId,
      managerId,
      workdir: this.#basedir === undefined ? undefined : join(this.#basedir, name),
      volume: undefined,
      onEvent: (event) => this.#options.onWorkspaceEvent?.(event, workspaceId),
    });
  }

  protected override async listSandboxes({
    managerId,
  }: Pick<NewWorkspaceContext, 'managerId'>): Promise<readonly FoundSandbox[]> {
    return await listManagedContainers({ managerId, dockerHost: this.#options.dockerHost });
  }

  protected override async stopSandbox({ workspaceId, managerId }: NewWorkspaceContext): Promise<void> {
    await removeManagedContainer({ workspaceId, managerId, dockerHost: this.#options.dockerHost });
  }

  /** The directory is the manager's own, and goes with its workspace. */
  protected override async discardWorkspace(workspace: DockerWorkspace): Promise<void> {
    await workspace.destroy({ workdir: true });
  }
}
