import { join, resolve } from 'node:path';
import { encodeId, ManagerOptionsInvalidError, WorkspaceForbiddenError } from '@agent-workspace/core';
import { LocalWorkspace, type LocalWorkspaceOptions } from '@agent-workspace/local';
import type { ManagedWorkspaceEventListener } from '../events/managed-workspace-event-listener.ts';
import { AgentscopeLayout, type OlderDirectories } from '../layout/agentscope-layout.ts';
import type { WorkspaceLayout } from '../layout/workspace-layout.ts';
import type { WorkspaceManagerOptions } from '../manager-options.ts';
import { type NewWorkspaceContext, WorkspaceManagerBase } from '../workspace-manager-base.ts';

export interface LocalWorkspaceManagerOptions
  extends WorkspaceManagerOptions, Omit<LocalWorkspaceOptions, 'workspaceId' | 'workdir' | 'onEvent' | 'logger'> {
  /** Where the directories of the workspaces are, each named by its id. */
  readonly basedir: string;
  /** `'agentscope'` derives ids as AgentScope does. Its ids of two users can be the same, if users choose theirs. */
  readonly layout?: 'agentscope' | undefined;
  /**
   * With the layout `'agentscope'`: there is one user, so that the directories of AgentScope's local manager,
   * which are named by their agent alone, are that user's and are opened. Default false.
   */
  readonly singleUser?: boolean | undefined;
  /** What a workspace tells, and which one; the manager's own events go to `onEvent`. */
  readonly onWorkspaceEvent?: ManagedWorkspaceEventListener | undefined;
}

/** Workspaces in directories of this machine. No sandboxes: their agents' commands are this user's. */
export class LocalWorkspaceManager extends WorkspaceManagerBase<LocalWorkspace> {
  readonly #options: LocalWorkspaceManagerOptions;
  readonly #basedir: string;
  readonly #agentscope: AgentscopeLayout | undefined;

  /** @throws `manager-options-invalid`, `mcp-declaration-invalid` */
  constructor(options: LocalWorkspaceManagerOptions) {
    super(options);
    const { layout, singleUser = false } = options;
    this.#options = options;
    this.#basedir = resolve(options.basedir);
    if (layout === 'agentscope') {
      this.#agentscope = new AgentscopeLayout({
        basedir: this.#basedir,
        older: singleUser ? ofOneUser() : undefined,
      });
    } else if (singleUser) {
      const reason = "it is about the directories of AgentScope. Set layout: 'agentscope', too.";
      throw new ManagerOptionsInvalidError({ option: 'singleUser', reason });
    }
  }

  /** Makes a manager of the class that it is called on, and initializes it. @throws `manager-options-invalid` */
  static async open<M extends LocalWorkspaceManager>(
    this: new (options: LocalWorkspaceManagerOptions) => M,
    options: LocalWorkspaceManagerOptions,
  ): Promise<M> {
    const manager = new this(options);
    await manager.initialize();
    return manager;
  }

  protected override get purpose(): string {
    return `local:${this.#basedir}`;
  }

  protected override get layout(): WorkspaceLayout | undefined {
    return this.#agentscope;
  }

  protected override newWorkspace({ workspaceId }: NewWorkspaceContext): LocalWorkspace {
    const name = this.#agentscope?.directoryOf(workspaceId) ?? encodeId(workspaceId);
    return new LocalWorkspace({
      ...this.#options,
      workspaceId,
      workdir: join(this.#basedir, name),
      onEvent: (event) => this.#options.onWorkspaceEvent?.(event, workspaceId),
    });
  }
}

/** AgentScope's local manager has named a directory by its agent alone. */
function ofOneUser(): OlderDirectories {
  let owner: string | undefined;
  return {
    depth: 1,
    namesOf: ({ userId, agentId }) => {
      owner ??= userId;
      // A second user's agents would get the first one's directories.
      if (userId !== owner) throw new WorkspaceForbiddenError({ workspaceId: agentId, reason: 'owned-by-another' });
      return [agentId];
    },
  };
}
