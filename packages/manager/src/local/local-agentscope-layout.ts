import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeId, isSafeVerbatimName, WorkspaceForbiddenError, type WorkspaceKey } from '@agent-workspace/core';
import type { Isolation } from '../identity/isolation.ts';
import { agentscopeId } from '../layout/agentscope-id.ts';
import type { WorkspaceLayout } from '../layout/workspace-layout.ts';

export interface LocalAgentscopeLayoutOptions {
  readonly basedir: string;
  /** Opens what AgentScope's local manager has made, which names a directory by its agent alone. */
  readonly singleUser: boolean;
}

/** AgentScope's ids, and its directories of one user. The id of such a directory is its name, so that it is found again by it. */
export class LocalAgentscopeLayout implements WorkspaceLayout {
  readonly #options: LocalAgentscopeLayoutOptions;
  #userId: string | undefined;

  constructor(options: LocalAgentscopeLayoutOptions) {
    this.#options = options;
  }

  deriveId(isolation: Exclude<Isolation, 'per-session'>, key: WorkspaceKey): string {
    return agentscopeId(isolation, key);
  }

  /** @throws `workspace-forbidden` for a second user, whose agents would get the first one's directories */
  async findOlder(isolation: Isolation, { userId, agentId }: WorkspaceKey): Promise<string | undefined> {
    if (!this.#options.singleUser) return undefined;
    this.#userId ??= userId;
    if (userId !== this.#userId) {
      throw new WorkspaceForbiddenError({ workspaceId: agentId, reason: 'owned-by-another' });
    }
    return isolation === 'per-agent' && (await this.#isThere(agentId)) ? agentId : undefined;
  }

  directoryName(workspaceId: string): string {
    return this.#options.singleUser && isSafeVerbatimName(workspaceId) ? workspaceId : encodeId(workspaceId);
  }

  /** A directory of just this name, which is no link to another place. */
  async #isThere(agentId: string): Promise<boolean> {
    if (!isSafeVerbatimName(agentId)) return false;
    try {
      const root = await realpath(this.#options.basedir);
      const path = await realpath(join(root, agentId));
      return path === join(root, agentId) && (await stat(path)).isDirectory();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }
}
