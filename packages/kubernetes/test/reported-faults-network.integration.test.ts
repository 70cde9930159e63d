import { describe, expect, it } from 'vitest';
import {
  ClusterConnection,
  KubernetesWorkspace,
  listManagedPods,
  removeManagedPod,
  surveyCluster,
} from '../src/index.ts';
import { hasKubernetes } from './support/cluster.ts';
import { GATED, openGate } from './support/gate.ts';
import { TcpProxy } from './support/tcp-proxy.ts';
import { beginCommand, outcomeOf, shell, useKubernetes } from './support/use-kubernetes.ts';

const SLOW = { timeout: 240_000 };
/** Half a minute without an answer is the end of a request, and so of a connection. */
const BOUNDED = { timeout: 120_000 };
const BY_API_SERVER = ['port-forward', 'exec'] as const;

describe.skipIf(!hasKubernetes)('faults of the network that people reported', () => {
  const tests = useKubernetes();

  async function hasPod(): Promise<void> {
    await expect.poll(async () => (await tests.namespace.pods()).length, BOUNDED).toBe(1);
  }

  // kubernetes-client/javascript#596, fabric8io/kubernetes-client#3177
  it('[K04] a watch that died silently is not waited for', SLOW, async () => {
    await using proxy = await TcpProxy.start();
    const opening = tests.open({ ...GATED, kubeconfig: proxy.kubeconfig });
    await hasPod();
    // With the watches, of the Pod and of its events.
    await expect.poll(() => proxy.accepted, BOUNDED).toBeGreaterThan(2);
    proxy.swallowOpen();
    await openGate(tests.namespace);
    const workspace = await opening;
    expect(await shell(workspace, 'echo well')).toBe('well\n');

    // The same for a Pod that is waited for until it is gone, unless its deletion itself was not answered.
    const before = proxy.accepted;
    const closing = outcomeOf(workspace.close());
    await expect.poll(() => proxy.accepted, BOUNDED).toBeGreaterThan(before);
    proxy.swallowOpen();
    expect((await closing).code).toMatch(/^(no error|kubernetes-unavailable)$/);
    await workspace.close();
    expect(await tests.namespace.pods()).toStrictEqual([]);
  });

  // kubernetes-client/javascript#2432
  it('[K06] an API server that never answers is told within the time for a request', SLOW, async () => {
    await using proxy = await TcpProxy.start();
    proxy.swallowAll();
    const { kubeconfig } = proxy;
    const { managerId } = tests;
    const { name: namespace } = tests.namespace;
    const workspaceId = 'nowhere';
    const outcomes = await Promise.all(
      [
        KubernetesWorkspace.open({ kubeconfig, namespace, managerId }),
        tests.make({ kubeconfig }).destroy(),
        listManagedPods({ kubeconfig, namespace, managerId }),
        removeManagedPod({ kubeconfig, namespace, managerId, workspaceId }),
        surveyCluster({ kubeconfig, namespace }),
      ].map(outcomeOf),
    );
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        code: 'kubernetes-unavailable',
        message: expect.stringContaining(new URL(proxy.server).host),
      });
    }
  });

  // kubernetes-client/javascript#2432
  it('[K06] a connection that gave no answer is not used for the next request', SLOW, async () => {
    await using proxy = await TcpProxy.start();
    const { name: namespace } = tests.namespace;
    const connection = await ClusterConnection.open({ kubeconfig: proxy.kubeconfig, namespace });
    const list = (timeoutMs?: number): Promise<unknown> =>
      connection.call('list Pods', (o) => connection.core.listNamespacedPod({ namespace }, o), { timeoutMs });
    await list();
    proxy.swallowOpen();
    await expect(list(1_000)).rejects.toMatchObject({
      code: 'kubernetes-unavailable',
      details: { reason: 'it did not list Pods within 1000 ms' },
    });
    await list();
    const sockets = proxy.accepted;
    await Promise.all([list(), list(), list()]);
    expect(proxy.accepted).toBeLessThan(sockets + 3);
  });

  // kubernetes-client/javascript#2432
  it.each(['pod-ip', ...BY_API_SERVER] as const)(
    '[K06] a close() over %s whose API server never answers says so, and may be called again',
    SLOW,
    async (transport) => {
      await using proxy = await TcpProxy.start();
      const workspace = await tests.open({ transport, kubeconfig: proxy.kubeconfig });
      proxy.swallowAll();
      expect(await outcomeOf(workspace.close())).toMatchObject({
        code: expect.stringMatching(/^(kubernetes-unavailable|gateway-(connection-lost|timeout|unreachable))$/),
      });
      expect(await tests.namespace.pods()).toHaveLength(1);
      proxy.passNew();
      await workspace.close();
      expect(await tests.namespace.pods()).toStrictEqual([]);
    },
  );

  // kubernetes-client/javascript#2432
  it('[K06] commands run on over the address of a Pod while the API server never answers', SLOW, async () => {
    await using proxy = await TcpProxy.start();
    const workspace = await tests.open({ transport: 'pod-ip', kubeconfig: proxy.kubeconfig });
    proxy.swallowAll();
    expect(await shell(workspace, 'echo well')).toBe('well\n');
    proxy.passNew();
    proxy.reset();
    await workspace.close();
    expect(await tests.namespace.pods()).toStrictEqual([]);
  });

  // kubernetes-client/javascript#2432, kubernetes-client/javascript#596
  it.each(BY_API_SERVER)(
    '[K06] a command in flight over %s is told of a network that passes nothing on, and the next one runs',
    SLOW,
    async (transport) => {
      await using proxy = await TcpProxy.start();
      const workspace = await tests.open({ transport, kubeconfig: proxy.kubeconfig });
      await workspace.backend.writeFile('/workspace/a', 'kept');
      const uid = (await tests.namespace.pod()).metadata?.uid;
      const { ended } = await beginCommand(workspace);
      proxy.swallowOpen();
      expect(await ended).toMatchObject({ code: expect.stringMatching(/^gateway-(timeout|connection-lost)$/) });
      await expect.poll(() => shell(workspace, 'cat a').catch(String), BOUNDED).toBe('kept');
      const again = await beginCommand(workspace);
      proxy.reset();
      expect(await again.ended).toMatchObject({ code: 'gateway-connection-lost' });
      await expect.poll(() => shell(workspace, 'cat a').catch(String), BOUNDED).toBe('kept');
      expect((await tests.namespace.pod()).metadata?.uid).toBe(uid);
      await workspace.close();
    },
  );
});
