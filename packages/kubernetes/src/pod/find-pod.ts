import type { V1Pod } from '@kubernetes/client-node';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { identityLabels, labelSelector, type PodIdentity } from './identity.ts';

/** The Pod that carries the labels of a workspace. */
export async function findPod(
  connection: ClusterConnection,
  identity: PodIdentity,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<V1Pod | undefined> {
  const { core, namespace } = connection;
  const selector = labelSelector(identityLabels(identity));
  const { items } = await connection.call(
    'list the Pods of a workspace',
    (o) => core.listNamespacedPod({ namespace, labelSelector: selector }, o),
    options,
  );
  return items[0];
}
