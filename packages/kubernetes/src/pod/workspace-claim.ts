import { setTimeout } from 'node:timers/promises';
import {
  KubernetesOptionsInvalidError,
  type Logger,
  PodStartFailedError,
  WorkspaceLostError,
} from '@agent-workspace/core';
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { hasStatus } from '../cluster/translate-error.ts';
import { createObject } from './create-object.ts';
import { findPod } from './find-pod.ts';
import { identityLabels, type PodIdentity } from './identity.ts';
import { podState } from './pod-state.ts';

export interface ClaimWorkOptions {
  readonly identity: PodIdentity;
  readonly signal: AbortSignal;
  /** Milliseconds that one is waited for that is being removed. */
  readonly timeoutMs: number;
  readonly logger: Logger;
}

export interface FoundClaim {
  readonly claim: V1PersistentVolumeClaim;
  readonly isNew: boolean;
}

const RETRY_MS = 250;

/** @returns `undefined` if there is none */
async function readClaim(
  connection: ClusterConnection,
  name: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<V1PersistentVolumeClaim | undefined> {
  const { core, namespace } = connection;
  try {
    return await connection.call(
      `read the claim ${name}`,
      (o) => core.readNamespacedPersistentVolumeClaim({ name, namespace }, o),
      options,
    );
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

/**
 * Makes the claim of a workspace, or finds it. One that is being removed is waited for until it is gone.
 *
 * @throws `workspace-lost` where its volume is gone, or it is being removed from under the workspace's Pod,
 * `pod-start-failed` where it is still there after `timeoutMs`, `kubernetes-options-invalid`, `kubernetes-refused`
 */
export async function findOrCreateClaim(
  connection: ClusterConnection,
  wanted: V1PersistentVolumeClaim,
  options: ClaimWorkOptions,
): Promise<FoundClaim> {
  const { core, namespace } = connection;
  const { signal, timeoutMs, identity } = options;
  const name = wanted.metadata?.name ?? '';
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const created = await createObject(
      connection,
      `create the claim ${name}`,
      (o) => core.createNamespacedPersistentVolumeClaim({ namespace, body: wanted }, o),
      options,
    );
    if (created !== undefined) return { claim: created, isNew: true };
    const found = await readClaim(connection, name, { signal });
    if (found !== undefined && !isLeaving(found)) {
      checkClaim(found, wanted, options);
      throwIfLost(found, identity);
      return { claim: found, isNew: false };
    }
    if (found !== undefined) {
      await throwIfInUse(connection, found, options);
      if (performance.now() > deadline) throw stillLeaving(connection, found, timeoutMs);
    }
    await setTimeout(RETRY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function isLeaving({ metadata }: V1PersistentVolumeClaim): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/** The cluster keeps a claim for as long as a Pod uses it, and gives its files to none that comes later. */
async function throwIfInUse(
  connection: ClusterConnection,
  { metadata: { name = '', uid } = {} }: V1PersistentVolumeClaim,
  { identity, signal }: ClaimWorkOptions,
): Promise<void> {
  const pod = await findPod(connection, identity, { signal });
  if (pod === undefined || podState(pod).kind === 'leaving') return;
  // Unless it is the Pod of a claim that has followed this one.
  if ((await readClaim(connection, name, { signal }))?.metadata?.uid !== uid) return;
  const reason = `its claim ${name}, which has its files, was deleted, and stays only until its Pod ends`;
  throw new WorkspaceLostError({ workspaceId: identity.workspaceId, reason });
}

function stillLeaving(
  { namespace }: ClusterConnection,
  { metadata: { name = '', finalizers = [] } = {} }: V1PersistentVolumeClaim,
  timeoutMs: number,
): PodStartFailedError {
  const explanation = `its claim ${name} was deleted, and is still there after ${timeoutMs} ms; it is kept by ${finalizers.join(', ')}: look for a Pod that uses it`;
  return new PodStartFailedError({ pod: `${namespace}/${name}`, reason: 'Timeout', explanation });
}

/** The claim of a workspace that had one. @throws `workspace-lost` */
export async function findClaimAgain(
  connection: ClusterConnection,
  name: string,
  { identity, signal }: Pick<ClaimWorkOptions, 'identity' | 'signal'>,
): Promise<FoundClaim> {
  const claim = await readClaim(connection, name, { signal });
  if (claim === undefined || isLeaving(claim)) {
    throw new WorkspaceLostError({
      workspaceId: identity.workspaceId,
      reason: `its claim ${name}, which had its files, was deleted`,
    });
  }
  throwIfLost(claim, identity);
  return { claim, isNew: false };
}

function throwIfLost({ metadata, status, spec }: V1PersistentVolumeClaim, { workspaceId }: PodIdentity): void {
  if (status?.phase !== 'Lost') return;
  const reason = `the volume ${spec?.volumeName ?? ''} of its claim ${metadata?.name ?? ''}, which had its files, is gone`;
  throw new WorkspaceLostError({ workspaceId, reason });
}

function checkClaim(
  found: V1PersistentVolumeClaim,
  wanted: V1PersistentVolumeClaim,
  { identity, logger }: ClaimWorkOptions,
): void {
  const name = wanted.metadata?.name ?? '';
  const isOurs = Object.entries(identityLabels(identity)).every(
    ([key, value]) => found.metadata?.labels?.[key] === value,
  );
  if (!isOurs) {
    const reason = `there is a claim ${name} that does not have the labels of this workspace; remove it, or give them back.`;
    throw new KubernetesOptionsInvalidError({ option: 'workspaceId', reason });
  }
  const [asked, has] = [wanted, found].map(({ spec }) => ({
    storageSize: spec?.resources?.requests?.['storage'],
    storageClassName: spec?.storageClassName,
  }));
  const isOther = asked?.storageSize !== has?.storageSize;
  const isOtherClass = asked?.storageClassName !== undefined && asked.storageClassName !== has?.storageClassName;
  if (isOther || isOtherClass) {
    logger.warn('A claim that is there keeps its size and class.', { claim: name, asked, has });
  }
}
