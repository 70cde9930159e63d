import { silentLogger } from '@agent-workspace/core';
import type { V1ObjectMeta } from '@kubernetes/client-node';
import { ClusterConnection } from './cluster/cluster-connection.ts';
import type { KubernetesConnectionOptions } from './cluster/connection-options.ts';
import { ANNOTATIONS, LABELS, labelSelector, MANAGED_BY, STANDALONE } from './pod/identity.ts';
import { podState } from './pod/pod-state.ts';
import { removePod } from './pod/remove-pod.ts';

/*
 * What a namespace has of ours, whoever's it is: for the command that lists and tidies. A manager goes by
 * `listManagedPods`, which sees its own alone.
 */

export interface ClusterSurveyOptions extends KubernetesConnectionOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A workspace as a cluster has it: in a Pod with a claim, or closed, in a claim alone. */
export interface WorkspacePod {
  /** Of the Pod and the claim. */
  readonly name: string;
  /** Of the Pod, by which it is not taken for one that followed it; `undefined` where there is none. */
  readonly uid: string | undefined;
  readonly workspaceId: string;
  /** `standalone` where no manager has it. */
  readonly managerId: string;
  /** `closed` where there is no Pod. One that has ended is made anew by its workspace's next call. */
  readonly state: 'starting' | 'running' | 'ended' | 'leaving' | 'closed';
  /** Milliseconds since the epoch, in whole seconds: of the Pod, else of the claim. */
  readonly createdAt: number;
  /** The files are in a claim, and outlive the Pod. */
  readonly isPersistent: boolean;
}

/** What a namespace has of ours. */
export interface ClusterSurvey {
  /** The address of the API server. */
  readonly server: string;
  readonly namespace: string;
  readonly workspaces: readonly WorkspacePod[];
}

/**
 * Every workspace of a namespace.
 *
 * @throws `kubernetes-unavailable`, `kubernetes-refused`, `kubernetes-options-invalid`
 */
export async function surveyCluster(options: ClusterSurveyOptions = {}): Promise<ClusterSurvey> {
  const connection = await ClusterConnection.open(options);
  const { core, namespace, server } = connection;
  const labels = labelSelector({ [LABELS.managedBy]: MANAGED_BY });
  const [pods, claims] = await Promise.all([
    connection.call('list Pods', (o) => core.listNamespacedPod({ namespace, labelSelector: labels }, o), options),
    connection.call(
      'list claims',
      (o) => core.listNamespacedPersistentVolumeClaim({ namespace, labelSelector: labels }, o),
      options,
    ),
  ]);
  const claimed = new Set(claims.items.map(({ metadata }) => metadata?.name));
  const withPod = pods.items.map((pod) => ({
    ...identityOf(pod.metadata),
    uid: pod.metadata?.uid,
    state: podState(pod).kind,
    isPersistent: claimed.has(pod.metadata?.name),
  }));
  const names = new Set(withPod.map(({ name }) => name));
  const closed = claims.items
    .map(({ metadata }) => ({ ...identityOf(metadata), uid: undefined, state: 'closed' as const, isPersistent: true }))
    .filter(({ name }) => !names.has(name));
  return { server, namespace, workspaces: [...withPod, ...closed] };
}

function identityOf({ name = '', labels, annotations, creationTimestamp }: V1ObjectMeta = {}): Pick<
  WorkspacePod,
  'name' | 'workspaceId' | 'managerId' | 'createdAt'
> {
  return {
    name,
    workspaceId: annotations?.[ANNOTATIONS.workspace] ?? labels?.[LABELS.workspace] ?? '',
    managerId: annotations?.[ANNOTATIONS.manager] ?? labels?.[LABELS.manager] ?? STANDALONE,
    createdAt: creationTimestamp?.getTime() ?? 0,
  };
}

/**
 * Ends a Pod and removes it; its claim stays. Nothing there is no error.
 *
 * @throws `kubernetes-unavailable`, `kubernetes-refused`, `kubernetes-options-invalid`
 */
export async function removeWorkspacePod(
  options: ClusterSurveyOptions & { readonly workspace: WorkspacePod },
): Promise<void> {
  const { workspace, signal } = options;
  const { name, uid } = workspace;
  if (uid === undefined) return;
  const connection = await ClusterConnection.open(options);
  await removePod(connection, { metadata: { name, uid } }, { signal, logger: silentLogger });
}
