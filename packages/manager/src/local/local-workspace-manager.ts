import { join, resolve } from 'node:path';
import { encodeId } from '@agent-workspace/core';
import { LocalWorkspace, type LocalWorkspaceOptions } from '@agent-workspace/local';
import type { WorkspaceManagerOptions } from '../manager-options.ts';
import { type NewWorkspaceContext, WorkspaceManagerBase } from '../workspace-manager-base.ts';

export interface LocalWorkspaceManagerOptions
  extends WorkspaceManagerOptions, Omit<LocalWorkspaceOptions, 'workspaceId' | 'workdir' | 'onEvent' | 'logger'> {
  /** Where the directories of the workspaces are, each named by its id. */
  readonly basedir: string;
  /** What a workspace tells; the manager's own events go to `onEvent`. */
  readonly onWorkspaceEvent?: LocalWorkspaceOptions['onEvent'];
}

/** Workspaces in directories of this machine. No sandboxes: their agents' commands are this user's. */
export class LocalWorkspaceManager extends WorkspaceManagerBase<LocalWorkspace> {
  readonly #options: LocalWorkspaceManagerOptions;
  readonly #basedir: string;

  constructor(options: LocalWorkspaceManagerOptions) {
    super(options);
    this.#options = options;
    this.#basedir = resolve(options.basedir);
  }

  /** Makes a manager and initializes it. @throws `manager-options-invalid` */
  static async open(options: LocalWorkspaceManagerOptions): Promise<LocalWorkspaceManager> {
    const manager = new LocalWorkspaceManager(options);
    await manager.initialize();
    return manager;
  }

  protected override get purpose(): string {
    return `local:${this.#basedir}`;
  }

  protected override newWorkspace({ workspaceId }: NewWorkspaceContext): LocalWorkspace {
    return new LocalWorkspace({
      ...this.#options,
      workspaceId,
      workdir: join(this.#basedir, encodeId(workspaceId)),
      onEvent: this.#options.onWorkspaceEvent,
    });
  }
}
