import { silentLogger } from '@agent-workspace/core';
import type { V1ObjectMeta, V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import { ClusterConnection } from '../cluster/cluster-connection.ts';
import type { KubernetesConnectionOptions } from '../cluster/connection-options.ts';
import { findPod } from './find-pod.ts';
import { ANNOTATIONS, LABELS, labelSelector, labelValue, MANAGED_BY, podName } from './identity.ts';
import { podState } from './pod-state.ts';
import { removeClaim, removePod } from './remove-pod.ts';

export interface ManagedPodsOptions extends KubernetesConnectionOptions {
  /** As in the workspace's option. */
  readonly managerId: string;
  /** As in the workspaces' option. Default `false`. */
  readonly deleteVolumeOnClose?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The Pod and the claim of a workspace, as a manager sees them that does not have it open. */
export interface ManagedPod {
  readonly workspaceId: string;
  /** Milliseconds since the epoch, in whole seconds: of the Pod, or of the claim where there is none. */
  readonly createdAt: number;
  /** The claim, which the files are on, stays when the workspace is closed. */
  readonly isPersistent: boolean;
  readonly isRunning: boolean;
  /** There is a claim alone, which is what a `close()` leaves. */
  readonly isClosed: boolean;
}

/**
 * The workspaces of a manager that have a Pod or a claim, found by their labels. A Pod that is being removed counts
 * as gone, and so does a claim.
 *
 * @throws `kubernetes-unavailable`, `kubernetes-refused`, `kubernetes-options-invalid`
 */
export async function listManagedPods(options: ManagedPodsOptions): Promise<readonly ManagedPod[]> {
  const { managerId, deleteVolumeOnClose = false, signal } = options;
  const connection = await ClusterConnection.open(options);
  const { core, namespace } = connection;
  const selector = labelSelector({ [LABELS.managedBy]: MANAGED_BY, [LABELS.manager]: labelValue(managerId) });
  const query = { namespace, labelSelector: selector };
  const [pods, claims] = await Promise.all([
    connection.call('list the Pods of a manager', (o) => core.listNamespacedPod(query, o), { signal }),
    connection.call('list the claims of a manager', (o) => core.listNamespacedPersistentVolumeClaim(query, o), {
      signal,
    }),
  ]);
  const podsById = byWorkspace(pods.items);
  const claimsById = byWorkspace(claims.items);
  return [...new Set([...podsById.keys(), ...claimsById.keys()])].map((workspaceId) =>
    managed(workspaceId, podsById.get(workspaceId), claimsById.get(workspaceId), !deleteVolumeOnClose),
  );
}

function byWorkspace<T extends { readonly metadata?: V1ObjectMeta | undefined }>(items: readonly T[]): Map<string, T> {
  const found = new Map<string, T>();
  for (const item of items) {
    const { annotations, deletionTimestamp } = item.metadata ?? {};
    const workspaceId = annotations?.[ANNOTATIONS.workspace];
    if (workspaceId !== undefined && deletionTimestamp === undefined) found.set(workspaceId, item);
  }
  return found;
}

function managed(
  workspaceId: string,
  pod: V1Pod | undefined,
  claim: V1PersistentVolumeClaim | undefined,
  isPersistent: boolean,
): ManagedPod {
  const { creationTimestamp } = (pod ?? claim)?.metadata ?? {};
  return {
    workspaceId,
    createdAt: creationTimestamp?.getTime() ?? 0,
    isPersistent,
    isRunning: pod !== undefined && podState(pod).kind === 'running',
    isClosed: pod === undefined,
  };
}

/**
 * Does what the last `close()` of a workspace does, for one that no host has open: its Pod is removed, and its claim
 * stays, unless `deleteVolumeOnClose` says otherwise. Nothing there is no error. What is to go with its data for
 * another reason is removed by `KubernetesWorkspace.destroy()`.
 *
 * @throws `kubernetes-unavailable`, `kubernetes-refused`, `kubernetes-options-invalid`
 */
export async function removeManagedPod(options: ManagedPodsOptions & { readonly workspaceId: string }): Promise<void> {
  const { managerId, workspaceId, deleteVolumeOnClose = false, signal } = options;
  const identity = { managerId, workspaceId };
  const connection = await ClusterConnection.open(options);
  const pod = await findPod(connection, identity, { signal });
  const end = pod && (await removePod(connection, pod, { signal, logger: silentLogger }));
  if (deleteVolumeOnClose && end !== 'replaced') await removeClaim(connection, podName(identity), { signal });
}
