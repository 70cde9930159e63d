import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeId, type WorkspaceKey } from '@agent-workspace/core';
import type { LocalWorkspace } from '@agent-workspace/local';
import { type ContractManagerSettings, hookWorkspace, type ManagerContractOptions } from '@agent-workspace/testing';
import type { ManagerStorage, NewWorkspaceContext } from '../../src/index.ts';
import { LocalWorkspaceManager, type LocalWorkspaceManagerOptions } from '../../src/local/index.ts';

type ManagerClass = new (options: LocalWorkspaceManagerOptions) => LocalWorkspaceManager;

export interface LocalContractOptions {
  /** An empty directory. */
  readonly places: string;
  /** Another connection to the storage of a place. */
  readonly storage?: ((place: string) => Promise<ManagerStorage>) | undefined;
  /** Another class than `LocalWorkspaceManager` itself. */
  readonly Manager?: ManagerClass | undefined;
}

/** How the manager contract makes local managers. */
export function localContract({ places, storage, Manager }: LocalContractOptions): ManagerContractOptions {
  const Contract = contractManager(Manager ?? LocalWorkspaceManager);
  const storages = new Map<string, ManagerStorage[]>();
  return {
    isStorageBound: storage !== undefined,
    create: async (place, settings) => {
      const bound = await storage?.(place);
      if (bound !== undefined) storages.set(place, [...(storages.get(place) ?? []), bound]);
      return new Contract({ ...settings, basedir: join(places, place), storage: bound });
    },
    cleanUp: async (place) => {
      for (const bound of storages.get(place) ?? []) await bound.close();
      storages.delete(place);
      await rm(join(places, place), { recursive: true, force: true });
    },
    // Nothing is behind a local workspace that could be killed, but whoever has it may close it.
    kill: (workspace) => workspace.close(),
    hasData: async (place, workspaceId) => await isThere(join(places, place, encodeId(workspaceId))),
  };
}

type ContractOptions = LocalWorkspaceManagerOptions & ContractManagerSettings;

function contractManager(Base: ManagerClass): new (options: ContractOptions) => LocalWorkspaceManager {
  return class extends Base {
    readonly #settings: ContractManagerSettings;

    constructor(options: ContractOptions) {
      super(options);
      this.#settings = options;
    }

    override assignWorkspaceId(key: WorkspaceKey): string | Promise<string> {
      const inherited = (of: WorkspaceKey): string | Promise<string> => super.assignWorkspaceId(of);
      return this.#settings.policy === undefined ? inherited(key) : this.#settings.policy(key, inherited);
    }

    protected override newWorkspace(context: NewWorkspaceContext): LocalWorkspace {
      const { hooks, isVolatile } = this.#settings;
      const workspace = hookWorkspace(super.newWorkspace(context), hooks);
      return isVolatile === true ? Object.defineProperty(workspace, 'isPersistent', { value: false }) : workspace;
    }
  };
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
