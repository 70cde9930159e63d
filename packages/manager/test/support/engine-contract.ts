import type { Workspace, WorkspaceKey } from '@agent-workspace/core';
import {
  type ContractManager,
  type ContractManagerSettings,
  hookWorkspace,
  type ManagerContractOptions,
} from '@agent-workspace/testing';
import type { ManagerStorage, NewWorkspaceContext, WorkspaceManagerBase } from '../../src/index.ts';

/** Another connection to the storage of a place. */
export type StorageOfPlace = (place: string) => ManagerStorage | Promise<ManagerStorage>;

/** What an engine says of its managers. */
export interface EngineContractOptions<W extends Workspace> extends Omit<
  ManagerContractOptions,
  'create' | 'isStorageBound'
> {
  /** A manager of a place, bound to its storage if there is one. */
  readonly makeManager: (
    place: string,
    options: ContractManagerSettings & { readonly storage: ManagerStorage | undefined },
  ) => WorkspaceManagerBase<W>;
  readonly storage?: StorageOfPlace | undefined;
  /** The managers have a storage of their own, where none is given. */
  readonly hasOwnStorage?: boolean | undefined;
}

/** How the manager contract makes the managers of an engine. */
export function engineContract<W extends Workspace>(engine: EngineContractOptions<W>): ManagerContractOptions {
  const { makeManager, storage, hasOwnStorage = false, cleanUp, ...rest } = engine;
  const storages = new Map<string, ManagerStorage[]>();
  return {
    ...rest,
    isStorageBound: storage !== undefined || hasOwnStorage,
    create: async (place, settings) => {
      const bound = await storage?.(place);
      if (bound !== undefined) storages.set(place, [...(storages.get(place) ?? []), bound]);
      return withSettings(makeManager(place, { ...settings, storage: bound }), settings);
    },
    cleanUp: async (place) => {
      for (const bound of storages.get(place) ?? []) await bound.close();
      storages.delete(place);
      await cleanUp(place);
    },
  };
}

/** Puts the hooks of a test into a manager, whatever its class. */
function withSettings<W extends Workspace>(
  manager: WorkspaceManagerBase<W>,
  { policy, hooks }: ContractManagerSettings,
): ContractManager {
  const inherited = manager.assignWorkspaceId.bind(manager);
  const newWorkspace = manager['newWorkspace'].bind(manager);
  return Object.assign(manager, {
    assignWorkspaceId: (key: WorkspaceKey) => (policy === undefined ? inherited(key) : policy(key, inherited)),
    newWorkspace: (context: NewWorkspaceContext) => hookWorkspace(newWorkspace(context), hooks),
  });
}
