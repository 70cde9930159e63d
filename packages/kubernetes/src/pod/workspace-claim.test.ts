import { silentLogger } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { MemoryCluster, refusal } from '../../test/support/memory-cluster.ts';
import { podName } from './identity.ts';
import { createClaim, createPod } from './pod-spec.ts';
import { findOrCreateClaim, type FoundClaim } from './workspace-claim.ts';

const LONG_MS = 3_600_000;
const IDENTITY = { managerId: 'm', workspaceId: 'w' };
const NAME = podName(IDENTITY);
const WANTED = createClaim(IDENTITY, {});

function find(cluster: MemoryCluster, timeoutMs: number = LONG_MS): Promise<FoundClaim> {
  const { signal } = new AbortController();
  return findOrCreateClaim(cluster.connection, WANTED, { identity: IDENTITY, signal, timeoutMs, logger: silentLogger });
}

/** One whose claim somebody has deleted. */
function leavingClaim(): MemoryCluster {
  const cluster = new MemoryCluster();
  const claim = createClaim(IDENTITY, {});
  Object.assign(claim.metadata ?? {}, { finalizers: ['kubernetes.io/pvc-protection'] });
  cluster.claims.create(claim);
  cluster.claims.beginRemoval(NAME);
  return cluster;
}

/** So that something happens once it is waited for the claim. */
function afterLooks(cluster: MemoryCluster, looks: number, happen: () => void): void {
  let left = looks;
  cluster.beforeCall = (operation) => {
    if (!operation.startsWith('read the claim')) return;
    left -= 1;
    if (left === 0) happen();
  };
}

describe('findOrCreateClaim', () => {
  it('makes it, and finds it again', async () => {
    const cluster = new MemoryCluster();
    expect((await find(cluster)).isNew).toBe(true);
    expect((await find(cluster)).isNew).toBe(false);
  });

  it.each(['Running', 'Failed'])('is lost where it is being removed and its Pod is %s', async (phase) => {
    const cluster = leavingClaim();
    cluster.pods.create(Object.assign(createPod(IDENTITY, {}), { status: { phase } }));
    await expect(find(cluster)).rejects.toMatchObject({
      code: 'workspace-lost',
      message: expect.stringContaining(`its claim ${NAME}, which has its files, was deleted`),
    });
    expect(cluster.pods.list()).toHaveLength(1);
  });

  it('is not lost where the Pod is that of a claim that has followed it', async () => {
    const cluster = leavingClaim();
    // Between the look at the claim and the one at the Pods.
    cluster.beforeCall = (operation) => {
      if (!operation.startsWith('list the Pods') || cluster.pods.list().length > 0) return;
      cluster.claims.remove({ name: NAME });
      cluster.claims.create(WANTED);
      cluster.pods.create(createPod(IDENTITY, {}));
    };
    expect((await find(cluster)).isNew).toBe(false);
  });

  it('is waited for while its Pod leaves, and is made anew', async () => {
    const cluster = leavingClaim();
    cluster.pods.create(createPod(IDENTITY, {}));
    cluster.pods.beginRemoval(NAME);
    afterLooks(cluster, 3, () => {
      cluster.pods.remove({ name: NAME });
      cluster.claims.remove({ name: NAME });
    });
    expect((await find(cluster)).isNew).toBe(true);
  });

  it('is not waited for without end, and says what for', async () => {
    await expect(find(leavingClaim(), 1)).rejects.toMatchObject({
      code: 'pod-start-failed',
      isRetryable: true,
      details: {
        pod: `test/${NAME}`,
        explanation: expect.stringMatching(
          /^its claim .+ is still there after 1 ms; .+ kubernetes\.io\/pvc-protection/,
        ),
      },
    });
  });

  it('is not taken for one that is there where a quota is in use by others', async () => {
    const cluster = new MemoryCluster();
    cluster.beforeCall = (operation) => {
      if (operation.startsWith('create') && cluster.calls.length === 1) throw refusal(409, 'Conflict', 'try again');
    };
    expect((await find(cluster)).isNew).toBe(true);
    expect(cluster.calls).toStrictEqual([`create the claim ${NAME}`, `create the claim ${NAME}`]);
  });
});
