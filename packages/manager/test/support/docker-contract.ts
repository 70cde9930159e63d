import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeId, type Workspace, type WorkspaceKey } from '@agent-workspace/core';
import type { DockerWorkspace } from '@agent-workspace/docker';
import { type ContractManagerSettings, hookWorkspace, type ManagerContractOptions } from '@agent-workspace/testing';
import { expect } from 'vitest';
import { DockerWorkspaceManager, type DockerWorkspaceManagerOptions } from '../../src/docker/index.ts';
import type { ManagerStorage, NewWorkspaceContext } from '../../src/index.ts';
import { containersOf, removeByHand } from './docker-engine.ts';

/** Each round starts and removes a container. */
const RACES = 20;

export interface DockerContractOptions {
  /** An empty directory. */
  readonly places: string;
  /** Another connection to the storage of a place. */
  readonly storage?: ((place: string) => ManagerStorage) | undefined;
}

/** How the manager contract makes managers of Docker, each place labelled by its name. */
export function dockerContract({ places, storage }: DockerContractOptions): ManagerContractOptions {
  const storages = new Map<string, ManagerStorage[]>();
  return {
    isStorageBound: storage !== undefined,
    races: RACES,
    create: async (place, settings) => {
      const bound = storage?.(place);
      if (bound !== undefined) storages.set(place, [...(storages.get(place) ?? []), bound]);
      // What goes with its container is in no directory.
      const basedir = settings.isVolatile === true ? undefined : join(places, place);
      return new ContractManager({ ...settings, network: 'none', managerId: place, basedir, storage: bound });
    },
    cleanUp: async (place) => {
      for (const bound of storages.get(place) ?? []) await bound.close();
      storages.delete(place);
      const left = await containersOf({ managerId: place });
      await removeByHand({ managerId: place });
      await rm(join(places, place), { recursive: true, force: true });
      expect(left).toEqual([]);
    },
    kill: async (workspace) => {
      if (workspace.isPersistent) await killForGood(workspace);
      else await removeByHand({ workspaceId: workspace.workspaceId });
    },
    hasData: async (place, workspaceId) =>
      (await isThere(join(places, place, encodeId(workspaceId)))) ||
      (await containersOf({ managerId: place, workspaceId })).length > 0,
  };
}

/** A container that ends is started again by its workspace; what is killed again and again is given up. */
async function killForGood(workspace: Workspace): Promise<void> {
  while (workspace.isAlive) {
    const kill = ['sh', '-c', 'kill -KILL $(cat /var/lib/agent-workspace/gateway.pid)'];
    // That is how the command ends, too.
    await workspace.backend.exec(kill).catch(() => undefined);
  }
}

type ContractOptions = DockerWorkspaceManagerOptions & ContractManagerSettings;

class ContractManager extends DockerWorkspaceManager {
  readonly #settings: ContractManagerSettings;

  constructor(options: ContractOptions) {
    super(options);
    this.#settings = options;
  }

  override assignWorkspaceId(key: WorkspaceKey): string | Promise<string> {
    const inherited = (of: WorkspaceKey): string | Promise<string> => super.assignWorkspaceId(of);
    return this.#settings.policy === undefined ? inherited(key) : this.#settings.policy(key, inherited);
  }

  protected override newWorkspace(context: NewWorkspaceContext): DockerWorkspace {
    return hookWorkspace(super.newWorkspace(context), this.#settings.hooks);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
