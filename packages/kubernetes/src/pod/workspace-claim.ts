import { setTimeout } from 'node:timers/promises';
import { KubernetesOptionsInvalidError, type Logger, WorkspaceLostError } from '@agent-workspace/core';
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { hasStatus } from '../cluster/translate-error.ts';
import { identityLabels, type PodIdentity } from './identity.ts';

export interface ClaimWorkOptions {
  readonly identity: PodIdentity;
  readonly signal: AbortSignal;
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
 * @throws `workspace-lost` where its volume is gone, `kubernetes-options-invalid`, `kubernetes-refused`
 */
export async function findOrCreateClaim(
  connection: ClusterConnection,
  wanted: V1PersistentVolumeClaim,
  options: ClaimWorkOptions,
): Promise<FoundClaim> {
  const { core, namespace } = connection;
  const { signal, identity } = options;
  const name = wanted.metadata?.name ?? '';
  for (;;) {
    try {
      // Without a signal: what is given up in the middle may yet be made, and nobody would know of it.
      const claim = await connection.call(`create the claim ${name}`, (o) =>
        core.createNamespacedPersistentVolumeClaim({ namespace, body: wanted }, o),
      );
      return { claim, isNew: true };
    } catch (error) {
      if (!hasStatus(error, 409)) throw error;
    }
    const found = await readClaim(connection, name, { signal });
    if (found !== undefined && found.metadata?.deletionTimestamp === undefined) {
      checkClaim(found, wanted, options);
      throwIfLost(found, identity);
      return { claim: found, isNew: false };
    }
    await setTimeout(RETRY_MS, undefined, { signal });
  }
}

/** The claim of a workspace that had one. @throws `workspace-lost` */
export async function findClaimAgain(
  connection: ClusterConnection,
  name: string,
  { identity, signal }: Omit<ClaimWorkOptions, 'logger'>,
): Promise<FoundClaim> {
  const claim = await readClaim(connection, name, { signal });
  if (claim === undefined || claim.metadata?.deletionTimestamp !== undefined) {
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
