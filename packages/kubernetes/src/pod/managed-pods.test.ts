import { afterEach, describe, expect, it, vi } from 'vitest';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import { ClusterConnection } from '../cluster/cluster-connection.ts';
import { listManagedPods, removeManagedPod } from './managed-pods.ts';
import { createClaim, createPod } from './pod-spec.ts';

const MANAGER = { managerId: 'm' };
const IDENTITY = { ...MANAGER, workspaceId: 'w' };

/** A namespace with one workspace, whose Pod may have gone. */
function clusterWith({ hasPod }: { readonly hasPod: boolean }): MemoryCluster {
  const cluster = new MemoryCluster();
  cluster.claims.create(createClaim(IDENTITY, {}));
  if (hasPod) cluster.pods.create(createPod(IDENTITY, {}));
  vi.spyOn(ClusterConnection, 'open').mockResolvedValue(cluster.connection);
  return cluster;
}

describe('a workspace whose claim goes when it is closed', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([true, false])('is listed as not persistent, with a Pod or without: %j', async (hasPod) => {
    clusterWith({ hasPod });
    const [found] = await listManagedPods({ ...MANAGER, deleteVolumeOnClose: true });
    expect(found).toMatchObject({ workspaceId: 'w', isPersistent: false, isClosed: !hasPod });
    expect((await listManagedPods(MANAGER))[0]?.isPersistent).toBe(true);
  });

  it.each([true, false])('is removed with its claim, with a Pod or without: %j', async (hasPod) => {
    const cluster = clusterWith({ hasPod });
    await removeManagedPod(IDENTITY);
    expect([cluster.pods.list().length, cluster.claims.list().length]).toStrictEqual([0, 1]);
    await removeManagedPod({ ...IDENTITY, deleteVolumeOnClose: true });
    expect(cluster.claims.list()).toStrictEqual([]);
    await removeManagedPod({ ...IDENTITY, deleteVolumeOnClose: true });
  });
});
