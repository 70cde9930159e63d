import { describe, expect, it } from 'vitest';
import { MemoryCluster, refusal } from '../../test/support/memory-cluster.ts';
import { createObject } from './create-object.ts';

const CONFLICT = refusal(409, 'Conflict', 'Operation cannot be fulfilled on resourcequotas "all": try again');

/** Makes a Pod in a cluster whose quota is in use by others, so many times. */
async function create(conflicts: number, signal: AbortSignal = new AbortController().signal): Promise<unknown> {
  const cluster = new MemoryCluster();
  cluster.beforeCall = () => {
    if (cluster.calls.length <= conflicts) throw CONFLICT;
  };
  const body = { metadata: { name: 'p' } };
  const request = () => cluster.core.createNamespacedPod({ body });
  const made = await createObject(cluster.connection, 'create the Pod p', request, { signal });
  return { name: made?.metadata?.name, calls: cluster.calls.length };
}

describe('createObject', () => {
  it('tries again where others count against the same quota', async () => {
    expect(await create(2)).toStrictEqual({ name: 'p', calls: 3 });
  });

  it("fails with the cluster's words where they always do", async () => {
    await expect(create(Infinity)).rejects.toBe(CONFLICT);
  });

  it('ends with its signal while it waits', async () => {
    const reason = new Error('gone home');
    await expect(create(Infinity, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('says that there is one of its name', async () => {
    const cluster = new MemoryCluster();
    const make = (): Promise<unknown> =>
      createObject(
        cluster.connection,
        'create the Pod p',
        () => cluster.core.createNamespacedPod({ body: { metadata: { name: 'p' } } }),
        { signal: new AbortController().signal },
      );
    expect(await make()).toMatchObject({ metadata: { name: 'p' } });
    expect(await make()).toBeUndefined();
  });
});
