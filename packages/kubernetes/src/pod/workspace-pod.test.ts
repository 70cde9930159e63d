import { silentLogger } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { MemoryCluster, refusal } from '../../test/support/memory-cluster.ts';
import { podName } from './identity.ts';
import { createClaim, createPod } from './pod-spec.ts';
import { findOrCreatePod, type FoundPod, takeBack } from './workspace-pod.ts';

const IDENTITY = { managerId: 'm', workspaceId: 'w' };
const NAME = podName(IDENTITY);
const POD = createPod(IDENTITY, {});

function find(cluster: MemoryCluster): Promise<FoundPod> {
  return findOrCreatePod(
    cluster.connection,
    { pod: POD, claim: createClaim(IDENTITY, {}) },
    {
      identity: IDENTITY,
      hadClaim: false,
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      logger: silentLogger,
      onEnded: () => undefined,
    },
  );
}

describe('findOrCreatePod', () => {
  it('tries again where others count against the same quota', async () => {
    const cluster = new MemoryCluster();
    let conflicts = 2;
    cluster.beforeCall = (operation) => {
      if (!operation.startsWith('create the Pod') || conflicts === 0) return;
      conflicts -= 1;
      throw refusal(409, 'Conflict', 'Operation cannot be fulfilled on resourcequotas "all"');
    };
    expect(await find(cluster)).toMatchObject({ isNew: true, pod: { metadata: { name: NAME } } });
  });
});

describe('takeBack', () => {
  it('removes the Pod, and the claim that was made with it', async () => {
    const cluster = new MemoryCluster();
    await takeBack(cluster.connection, await find(cluster), silentLogger);
    expect([...cluster.pods.list(), ...cluster.claims.list()]).toStrictEqual([]);
  });

  it('leaves both to another host that has made the Pod anew', async () => {
    const cluster = new MemoryCluster();
    const found = await find(cluster);
    cluster.pods.remove({ name: NAME });
    const { metadata } = cluster.pods.create(POD);
    await takeBack(cluster.connection, found, silentLogger);
    expect(cluster.pods.list().map((pod) => pod.metadata?.uid)).toStrictEqual([metadata?.uid]);
    expect(cluster.claims.list()).toHaveLength(1);
  });
});
