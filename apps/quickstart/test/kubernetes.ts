import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ClusterConnection } from '@agent-workspace/kubernetes';
import { requireEngine, TEST_KUBECONFIG } from '@agent-workspace/testing';

/** The environment of somebody who has no cluster, of whatever kind. */
export const NOWHERE: Readonly<Record<string, string>> = {
  HOME: '/nowhere',
  KUBECONFIG: '',
  WORKSPACE_CLUSTER_DIR: '/nowhere',
};

/** Whether the tests in a Pod can run here. */
export const hasCluster: boolean = await requireEngine('kubernetes', async () => {
  await readFile(TEST_KUBECONFIG);
  const cluster = await ClusterConnection.open({ kubeconfig: TEST_KUBECONFIG });
  await cluster.call('list its namespaces', (o) => cluster.core.listNamespace({ limit: 1 }, o));
});

/** A namespace, deleted at the end with all that is in it. */
export async function createNamespace(): Promise<AsyncDisposable & { readonly namespace: string }> {
  const namespace = `aw-test-${randomUUID()}`;
  const cluster = await ClusterConnection.open({ kubeconfig: TEST_KUBECONFIG, namespace });
  const { core } = cluster;
  const body = { metadata: { name: namespace } };
  await cluster.call('create a namespace', (o) => core.createNamespace({ body }, o));
  return {
    namespace,
    [Symbol.asyncDispose]: async () => {
      await cluster.call('delete a namespace', (o) => core.deleteNamespace({ name: namespace }, o));
    },
  };
}
