import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeId, type Workspace } from '@agent-workspace/core';
import type { DockerWorkspace } from '@agent-workspace/docker';
import type { ManagerContractOptions } from '@agent-workspace/testing';
import { expect } from 'vitest';
import { DockerWorkspaceManager } from '../../src/docker/index.ts';
import { containersOf, removeByHand } from './docker-engine.ts';
import { engineContract, type StorageOfPlace } from './engine-contract.ts';
import { killGateway } from './kill-gateway.ts';

/** Each round starts and removes a container. */
const RACES = 20;

export interface DockerContractOptions {
  /** An empty directory. */
  readonly places: string;
  readonly storage?: StorageOfPlace | undefined;
}

/** How the manager contract makes managers of Docker, each place labelled by its name. */
export function dockerContract({ places, storage }: DockerContractOptions): ManagerContractOptions {
  return engineContract<DockerWorkspace>({
    storage,
    races: RACES,
    makeManager: (place, { isVolatile, ...settings }) => {
      // What goes with its container is in no directory.
      const basedir = isVolatile === true ? undefined : join(places, place);
      return new DockerWorkspaceManager({ ...settings, network: 'none', managerId: place, basedir });
    },
    cleanUp: async (place) => {
      const left = await containersOf({ managerId: place });
      await removeByHand({ managerId: place });
      await rm(join(places, place), { recursive: true, force: true });
      expect(left).toEqual([]);
    },
    kill: async (workspace: Workspace) => {
      if (workspace.isPersistent) await killGateway(workspace, '/var/lib/agent-workspace/gateway.pid');
      else await removeByHand({ workspaceId: workspace.workspaceId });
    },
    hasData: async (place, workspaceId) =>
      existsSync(join(places, place, encodeId(workspaceId))) ||
      (await containersOf({ managerId: place, workspaceId })).length > 0,
  });
}
