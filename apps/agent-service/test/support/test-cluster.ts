import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ClusterConnection } from '@agent-workspace/kubernetes';
import { requireEngine, TEST_KUBECONFIG } from '@agent-workspace/testing';

/** Whether the tests on Kubernetes can run. */
export const hasCluster: boolean = await requireEngine('kubernetes', async () => {
  await readFile(TEST_KUBECONFIG);
  const cluster = await ClusterConnection.open({ kubeconfig: TEST_KUBECONFIG });
  await cluster.call('list its namespaces', (o) => cluster.core.listNamespace({ limit: 1 }, o));
});

/** A namespace with all that is in it, deleted at the end. */
export interface TestNamespace extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly cluster: ClusterConnection;
}

export async function createNamespace(labels: Record<string, string> = {}): Promise<TestNamespace> {
  const namespace = `aw-test-${randomUUID()}`;
  const cluster = await ClusterConnection.open({ kubeconfig: TEST_KUBECONFIG, namespace });
  const { core } = cluster;
  const body = { metadata: { name: namespace, labels } };
  await cluster.call('create a namespace', (o) => core.createNamespace({ body }, o));
  return {
    kubeconfig: TEST_KUBECONFIG,
    namespace,
    cluster,
    [Symbol.asyncDispose]: async () => {
      await cluster.call('delete a namespace', (o) => core.deleteNamespace({ name: namespace }, o));
    },
  };
}
