import { KubernetesUnavailableError, type Logger } from '@agent-workspace/core';
import type { V1Pod } from '@kubernetes/client-node';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { hasStatus } from '../cluster/translate-error.ts';
import { followPod } from './follow-pod.ts';

export interface RemovePodOptions {
  readonly signal?: AbortSignal | undefined;
  readonly logger: Logger;
}

/** A node that lives ends a Pod in seconds. */
const GONE_MS = 60_000;

/**
 * Has a Pod ended and removed, and waits until it is gone, so that another one of its name can follow. One that is
 * gone, or has made room for another, is no error.
 *
 * @returns `replaced` where another one of its name is there, which stays, and uses the claim of that name
 * @throws `kubernetes-refused`, `kubernetes-unavailable`, and the signal's reason
 */
export async function removePod(
  connection: ClusterConnection,
  pod: V1Pod,
  options: RemovePodOptions,
): Promise<'gone' | 'replaced'> {
  const { core, namespace } = connection;
  const { name = '', uid = '' } = pod.metadata ?? {};
  try {
    await connection.call(
      `delete the Pod ${name}`,
      (o) => core.deleteNamespacedPod({ name, namespace, body: { preconditions: { uid } } }, o),
      options,
    );
  } catch (error) {
    if (hasStatus(error, 404)) return 'gone';
    // Its id is another one's.
    if (hasStatus(error, 409)) return 'replaced';
    throw error;
  }
  await waitUntilGone(connection, pod, options);
  return 'gone';
}

/** @throws `kubernetes-unavailable` where it is still there after a minute, and the signal's reason */
export async function waitUntilGone(
  connection: ClusterConnection,
  pod: V1Pod,
  { signal, logger }: RemovePodOptions,
): Promise<void> {
  const name = pod.metadata?.name ?? '';
  const deadline = AbortSignal.timeout(GONE_MS);
  const either = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  try {
    for await (const now of followPod(connection, pod, { name, signal: either, logger })) if (now === undefined) return;
  } catch (error) {
    signal?.throwIfAborted();
    if (!deadline.aborted) throw error;
    const reason = `the Pod ${name} is still there ${GONE_MS / 1000} s after it was to be deleted; its node may be lost`;
    throw new KubernetesUnavailableError({ server: connection.server, reason }, { cause: error });
  }
}

/** Has a claim removed, which the cluster does once no Pod uses it. One that is gone is no error. */
export async function removeClaim(
  connection: ClusterConnection,
  name: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { core, namespace } = connection;
  try {
    await connection.call(
      `delete the claim ${name}`,
      (o) => core.deleteNamespacedPersistentVolumeClaim({ name, namespace }, o),
      options,
    );
  } catch (error) {
    if (!hasStatus(error, 404)) throw error;
  }
}
