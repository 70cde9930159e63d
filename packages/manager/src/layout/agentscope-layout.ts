import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { encodeId, isSafeVerbatimName, WorkspaceForbiddenError, type WorkspaceKey } from '@agent-workspace/core';
import type { Isolation } from '../identity/isolation.ts';
import { agentscopeId } from './agentscope-id.ts';
import type { WorkspaceLayout } from './workspace-layout.ts';

/** How AgentScope has named directories before it went by ids. */
export interface OlderDirectories {
  /** The names of a key's directory, one in the other. Throws where the key has nothing to look for there. */
  readonly namesOf: (key: WorkspaceKey) => readonly string[];
  /** How many these are. */
  readonly depth: number;
}

export interface AgentscopeLayoutOptions {
  /** Where the directories are. Default: nowhere, so that there are no older ones. */
  readonly basedir: string | undefined;
  /** Default: none is opened. */
  readonly older: OlderDirectories | undefined;
}

/** What a workspace has in itself, and a directory that merely holds workspaces has not. */
const MARKS: readonly string[] = ['.mcp', '.workspace'];

/**
 * AgentScope's ids, and its older directories. The id of such a directory is the path to it, so that it is found
 * again by it.
 */
export class AgentscopeLayout implements WorkspaceLayout {
  readonly #options: AgentscopeLayoutOptions;

  constructor(options: AgentscopeLayoutOptions) {
    this.#options = options;
  }

  deriveId(isolation: Exclude<Isolation, 'per-session'>, key: WorkspaceKey): string {
    return agentscopeId(isolation, key);
  }

  async findOlder(isolation: Isolation, key: WorkspaceKey): Promise<string | undefined> {
    const names = this.#options.older?.namesOf(key);
    if (isolation !== 'per-agent' || names === undefined || !this.#isThere(names)) return undefined;
    return names.join('/');
  }

  /**
   * Below `basedir`.
   *
   * @throws `workspace-forbidden` for the directory of a user, which holds all older workspaces of that user
   */
  directoryOf(workspaceId: string): string {
    const names = workspaceId.split('/');
    if (names.length === this.#options.older?.depth && this.#isThere(names)) return join(...names);
    const name = encodeId(workspaceId);
    if (this.#holdsOlder(name)) throw new WorkspaceForbiddenError({ workspaceId, reason: 'owned-by-another' });
    return name;
  }

  /** A directory of just these names, which is no link to another place, and in no workspace. */
  #isThere(names: readonly string[]): boolean {
    const { basedir } = this.#options;
    const areNames = names.every((name) => name !== '' && isSafeVerbatimName(name));
    if (!areNames || basedir === undefined || !existsSync(basedir)) return false;
    const root = realpathSync.native(basedir);
    const path = join(root, ...names);
    const holders = names.slice(0, -1).map((_name, index) => join(root, ...names.slice(0, index + 1)));
    return (
      existsSync(path) &&
      realpathSync.native(path) === path &&
      statSync(path).isDirectory() &&
      !holders.some(isWorkspace)
    );
  }

  #holdsOlder(name: string): boolean {
    const { basedir, older } = this.#options;
    if (basedir === undefined || older === undefined || older.depth < 2) return false;
    const path = join(basedir, name);
    if (!existsSync(path) || !statSync(path).isDirectory() || isWorkspace(path)) return false;
    return readdirSync(path).some((child) => isWorkspace(join(path, child)));
  }
}

function isWorkspace(path: string): boolean {
  return MARKS.some((mark) => existsSync(join(path, mark)));
}
