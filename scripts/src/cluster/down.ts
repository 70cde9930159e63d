import type { RmOptions } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { ClusterFolder } from './cluster-folder.ts';
import { lockCluster } from './cluster-lock.ts';
import { currentBootId, readState } from './cluster-state.ts';
import { removeControlGroup } from './control-groups.ts';
import { killMarkedProcesses } from './marked-processes.ts';
import { removePodNetwork } from './pod-network.ts';
import { restoreSysctls } from './sysctls.ts';

/** A process that was killed before may still be at its last write. */
const REMOVAL: RmOptions = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

/** Takes the cluster down and leaves the machine as it was before `up`, whatever has become of either. */
export async function takeDown(folder: ClusterFolder): Promise<void> {
  await using _lock = await lockCluster(folder);
  await cleanUp(folder);
}

/** As {@link takeDown}, under the lock. What is gone already is passed over. */
export async function cleanUp(folder: ClusterFolder): Promise<void> {
  const state = await readState(folder);
  // Their mounts and Pods go with them: all are in namespaces of their own.
  await killMarkedProcesses(folder);
  if (state !== undefined && state.bootId === (await currentBootId())) {
    await removeControlGroup(folder);
    await removePodNetwork(folder, state);
    await restoreSysctls(state.sysctls);
  }
  // The state goes last, in case this is interrupted, too.
  for (const directory of [folder.dataDirectory, folder.privateDirectory, folder.runDirectory])
    await rm(directory, REMOVAL);
}
