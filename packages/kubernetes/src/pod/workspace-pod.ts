import { KubernetesOptionsInvalidError, type Logger } from '@agent-workspace/core';
import type { V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { createObject } from './create-object.ts';
import { findPod } from './find-pod.ts';
import { readPod } from './follow-pod.ts';
import { ANNOTATIONS, type PodIdentity } from './identity.ts';
import { podState } from './pod-state.ts';
import { removeClaim, removePod, waitUntilGone } from './remove-pod.ts';
import { findClaimAgain, findOrCreateClaim, type FoundClaim } from './workspace-claim.ts';

export interface PodWorkOptions {
  readonly identity: PodIdentity;
  /** It had a claim a moment ago: without it the files are lost. */
  readonly hadClaim: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds that a claim is waited for that is being removed. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Told of a Pod that has ended, before it is removed and nobody can look any more. */
  readonly onEnded: (pod: V1Pod) => void;
}

/** A Pod that runs, or is on its way. */
export interface FoundPod {
  readonly pod: V1Pod;
  /** Made just now. */
  readonly isNew: boolean;
  readonly claim: FoundClaim;
}

/**
 * The Pod of a workspace: the one that carries its labels, or a new one. One that has ended is removed first, and
 * one that is being removed is waited for.
 *
 * @throws `workspace-lost`, `pod-start-failed` for a claim whose removal takes too long, `kubernetes-options-invalid`,
 * `kubernetes-refused`, `kubernetes-unavailable`
 */
export async function findOrCreatePod(
  connection: ClusterConnection,
  wanted: { readonly pod: V1Pod; readonly claim: V1PersistentVolumeClaim },
  options: PodWorkOptions,
): Promise<FoundPod> {
  const { hadClaim, signal, logger } = options;
  const claimName = wanted.claim.metadata?.name ?? '';
  const claim = hadClaim
    ? await findClaimAgain(connection, claimName, options)
    : await findOrCreateClaim(connection, wanted.claim, options);
  try {
    for (;;) {
      signal.throwIfAborted();
      const created = await create(connection, wanted.pod, options);
      if (created !== undefined) return { pod: created, isNew: true, claim };
      const found = await findExisting(connection, wanted.pod, options);
      const pod = found && (await usable(connection, found, options));
      if (pod === undefined) continue;
      const [is, should] = [pod, wanted.pod].map(({ metadata }) => metadata?.annotations?.[ANNOTATIONS.configuration]);
      if (is !== should) {
        logger.warn('A Pod that was made with other options is used as it is, since it runs.', {
          pod: pod.metadata?.name,
        });
      }
      return { pod, isNew: false, claim };
    }
  } catch (error) {
    if (claim.isNew) await takeBackClaim(connection, claimName, logger);
    throw error;
  }
}

function create(connection: ClusterConnection, body: V1Pod, options: PodWorkOptions): Promise<V1Pod | undefined> {
  const { core, namespace } = connection;
  const operation = `create the Pod ${body.metadata?.name ?? ''}`;
  return createObject(connection, operation, (o) => core.createNamespacedPod({ namespace, body }, o), options);
}

async function findExisting(
  connection: ClusterConnection,
  wanted: V1Pod,
  { identity, signal }: PodWorkOptions,
): Promise<V1Pod | undefined> {
  const labelled = await findPod(connection, identity, { signal });
  if (labelled !== undefined) return labelled;
  const name = wanted.metadata?.name ?? '';
  if ((await readPod(connection, name, { signal })) === undefined) return undefined;
  const reason = `there is a Pod ${name} that does not have the labels of this workspace; remove it, or give them back.`;
  throw new KubernetesOptionsInvalidError({ option: 'workspaceId', reason });
}

async function usable(connection: ClusterConnection, pod: V1Pod, options: PodWorkOptions): Promise<V1Pod | undefined> {
  const state = podState(pod);
  switch (state.kind) {
    case 'running':
    case 'starting':
      return pod;
    case 'leaving':
      await waitUntilGone(connection, pod, options);
      return undefined;
    case 'ended': {
      const { problem } = state;
      options.onEnded(pod);
      options.logger.warn('A Pod that has ended is made anew.', { pod: pod.metadata?.name, ...problem });
      await removePod(connection, pod, options);
      return undefined;
    }
  }
}

/** What a start has made goes where it does not come to anything. */
export async function takeBack(connection: ClusterConnection, found: FoundPod, logger: Logger): Promise<void> {
  if (!found.isNew) return;
  try {
    // The claim is now that of the one that took its place.
    if ((await removePod(connection, found.pod, { logger })) === 'replaced') return;
  } catch (error) {
    logger.error('Could not remove a Pod that did not start.', { pod: found.pod.metadata?.name, error });
  }
  const name = found.claim.claim.metadata?.name ?? '';
  if (found.claim.isNew) await takeBackClaim(connection, name, logger);
}

async function takeBackClaim(connection: ClusterConnection, name: string, logger: Logger): Promise<void> {
  try {
    await removeClaim(connection, name);
  } catch (error) {
    logger.error('Could not remove the claim of a Pod that did not start.', { claim: name, error });
  }
}
