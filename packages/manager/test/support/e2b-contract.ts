import { E2BWorkspace, listManagedSandboxes } from '@agent-workspace/e2b';
import type { ManagerContractOptions } from '@agent-workspace/testing';
import { expect } from 'vitest';
import { E2BWorkspaceManager } from '../../src/e2b/index.ts';
import type { TestE2B } from './e2b-emulator.ts';
import { engineContract, type StorageOfPlace } from './engine-contract.ts';

/** Each round pauses a sandbox and wakes it. */
const RACES = 10;

export interface E2BContractOptions {
  /** Asked when the tests run. */
  readonly e2b: () => TestE2B;
  readonly storage?: StorageOfPlace | undefined;
}

/** How the manager contract makes managers of E2B, each place marked by its name in the sandboxes' metadata. */
export function e2bContract({ e2b, storage }: E2BContractOptions): ManagerContractOptions {
  const listAt = (place: string) => listManagedSandboxes({ ...e2b().connection, managerId: place });
  return engineContract<E2BWorkspace>({
    storage,
    races: RACES,
    // The data are in the sandbox.
    survivesKill: false,
    makeManager: (place, settings) =>
      new E2BWorkspaceManager({ ...settings, ...e2b().connection, managerId: place, allowInternetAccess: false }),
    cleanUp: async (place) => {
      const left = await listAt(place);
      const { connection } = e2b();
      await Promise.all(
        left.map(({ workspaceId }) => new E2BWorkspace({ ...connection, managerId: place, workspaceId }).destroy()),
      );
      expect(left.filter(({ isRunning }) => isRunning)).toEqual([]);
    },
    kill: async (workspace) => {
      const sandboxId = workspace instanceof E2BWorkspace ? workspace.sandboxId : undefined;
      if (sandboxId === undefined) throw new Error('There is no sandbox to kill.');
      await e2b().client.Sandbox.kill(sandboxId);
    },
    hasData: async (place, workspaceId) => (await listAt(place)).some((sandbox) => sandbox.workspaceId === workspaceId),
  });
}
