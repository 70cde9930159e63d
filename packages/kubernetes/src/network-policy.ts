import type { V1NetworkPolicy, V1NetworkPolicyPeer } from '@kubernetes/client-node';
import { ClusterConnection } from './cluster/cluster-connection.ts';
import type { KubernetesConnectionOptions } from './cluster/connection-options.ts';
import { hasStatus } from './cluster/translate-error.ts';
import { LABELS, MANAGED_BY } from './pod/identity.ts';

export interface NetworkPolicyOptions extends KubernetesConnectionOptions {
  /** Default `agent-workspace-deny-ingress`. */
  readonly name?: string | undefined;
  /**
   * Who may connect to the Pods of workspaces: the hosts, where `transport` is `pod-ip`. Default: nobody, which
   * `port-forward` and `exec` do not need, since they come from the node.
   */
  readonly allowFrom?: readonly V1NetworkPolicyPeer[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Puts a policy into a namespace that keeps other Pods from those of workspaces, in the place of one of its name.
 * A cluster whose network knows no policies takes it, and does nothing.
 *
 * @throws `kubernetes-unavailable`, `kubernetes-refused`, `kubernetes-options-invalid`
 */
export async function applyNetworkPolicy(options: NetworkPolicyOptions = {}): Promise<void> {
  const { name = 'agent-workspace-deny-ingress', allowFrom = [], signal } = options;
  const connection = await ClusterConnection.open(options);
  const { networking, namespace } = connection;
  const body: V1NetworkPolicy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, labels: { [LABELS.managedBy]: MANAGED_BY } },
    spec: {
      podSelector: { matchLabels: { [LABELS.managedBy]: MANAGED_BY } },
      policyTypes: ['Ingress'],
      ingress: allowFrom.length === 0 ? [] : [{ _from: [...allowFrom] }],
    },
  };
  const operation = `put the policy ${name} in its place`;
  try {
    await connection.call(operation, (o) => networking.createNamespacedNetworkPolicy({ namespace, body }, o), {
      signal,
    });
  } catch (error) {
    if (!hasStatus(error, 409)) throw error;
    await connection.call(operation, (o) => networking.replaceNamespacedNetworkPolicy({ name, namespace, body }, o), {
      signal,
    });
  }
}
