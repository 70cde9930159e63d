import { silentLogger } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { MemoryCluster, refusal } from '../../test/support/memory-cluster.ts';
import { followPod } from './follow-pod.ts';

/** The phases of a Pod that changes while the cluster answers once with this status. */
async function phases(status: number): Promise<readonly (string | undefined)[]> {
  const cluster = new MemoryCluster();
  const first = cluster.pods.create({ metadata: { name: 'p' }, status: { phase: 'Pending' } });
  cluster.beforeCall = () => {
    if (cluster.calls.length === 1) throw refusal(status, 'Any', 'not now');
    if (cluster.calls.length === 3) cluster.pods.remove({ name: 'p' });
  };
  const { signal } = new AbortController();
  const followed = followPod(cluster.connection, first, { name: 'p', signal, logger: silentLogger });
  return (await Array.fromAsync(followed)).map((pod) => pod?.status?.phase);
}

describe('followPod', () => {
  it.each([500, 502, 503, 504])('goes on after an answer %i', async (status) => {
    expect(await phases(status)).toStrictEqual(['Pending', 'Pending', undefined]);
  });

  it('fails where it may not look', async () => {
    await expect(phases(403)).rejects.toMatchObject({ code: 'kubernetes-refused', details: { status: 403 } });
  });
});
