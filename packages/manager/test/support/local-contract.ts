import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeId } from '@agent-workspace/core';
import type { LocalWorkspace } from '@agent-workspace/local';
import type { ManagerContractOptions } from '@agent-workspace/testing';
import type { NewWorkspaceContext } from '../../src/index.ts';
import { LocalWorkspaceManager, type LocalWorkspaceManagerOptions } from '../../src/local/index.ts';
import { engineContract, type StorageOfPlace } from './engine-contract.ts';

export interface LocalContractOptions {
  /** An empty directory. */
  readonly places: string;
  readonly storage?: StorageOfPlace | undefined;
  /** Another class than `LocalWorkspaceManager` itself. */
  readonly Manager?: (new (options: LocalWorkspaceManagerOptions) => LocalWorkspaceManager) | undefined;
}

/** How the manager contract makes local managers. */
export function localContract(options: LocalContractOptions): ManagerContractOptions {
  const { places, storage, Manager = LocalWorkspaceManager } = options;
  return engineContract<LocalWorkspace>({
    storage,
    makeManager: (place, { isVolatile, ...settings }) => {
      const manager = new Manager({ ...settings, basedir: join(places, place) });
      return isVolatile === true ? takingForGone(manager) : manager;
    },
    cleanUp: (place) => rm(join(places, place), { recursive: true, force: true }),
    // Nothing is behind a local workspace that could be killed, but whoever has it may close it.
    kill: (workspace) => workspace.close(),
    hasData: async (place, workspaceId) => existsSync(join(places, place, encodeId(workspaceId))),
  });
}

/** Has a manager take the data of its workspaces for gone with them. */
function takingForGone(manager: LocalWorkspaceManager): LocalWorkspaceManager {
  const newWorkspace = manager['newWorkspace'].bind(manager);
  return Object.assign(manager, {
    newWorkspace: (context: NewWorkspaceContext) =>
      Object.defineProperty(newWorkspace(context), 'isPersistent', { value: false }),
  });
}
