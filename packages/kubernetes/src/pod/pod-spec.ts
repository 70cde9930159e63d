import { createHash } from 'node:crypto';
import { KubernetesOptionsInvalidError } from '@agent-workspace/core';
import type { V1Container, V1ObjectMeta, V1PersistentVolumeClaim, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { BAKED_DIRECTORY, OWN_DIRECTORY, RUN_DIRECTORY, WORKDIR } from '../bootstrap/layout.ts';
import { SETUP_SCRIPT } from '../bootstrap/scripts.ts';
import { DEFAULT_IMAGE, DEFAULT_STORAGE_SIZE, type KubernetesPodOptions, parseUser } from '../kubernetes-options.ts';
import { ANNOTATIONS, identityAnnotations, identityLabels, OUR_PREFIX, type PodIdentity, podName } from './identity.ts';
import { mergePatch } from './merge-patch.ts';
import { restrictedViolations } from './restricted.ts';

/** The one that the gateway and the agent are in. */
export const CONTAINER = 'workspace';

const CLAIM_VOLUME = 'workspace';
const RUN_VOLUME = 'agent-workspace';

/** What ends on a SIGTERM ends at once; what has more to do says so in a `podTemplate`. */
const GRACE_SECONDS = 5;

const HASH_CHARACTERS = 16;

/**
 * The Pod of a workspace, within the `restricted` standard.
 *
 * @throws `kubernetes-options-invalid` for a `podTemplate` that would break it
 */
export function createPod(identity: PodIdentity, options: KubernetesPodOptions): V1Pod {
  const { metadata, spec } = mergePatch(
    { metadata: createMetadata(identity, options), spec: createSpec(identity, options) },
    options.podTemplate,
  );
  checkPatched(identity, spec, metadata, options);
  const configuration = createHash('sha256').update(canonical(spec)).digest('hex').slice(0, HASH_CHARACTERS);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: mergePatch(metadata, { annotations: { [ANNOTATIONS.configuration]: configuration } }),
    spec,
  };
}

/** The same for two objects that have the same in them. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** The claim of a workspace, which outlives its Pod. */
export function createClaim(identity: PodIdentity, options: KubernetesPodOptions): V1PersistentVolumeClaim {
  const { storageClassName, storageSize = DEFAULT_STORAGE_SIZE } = options;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: createMetadata(identity, options),
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClassName !== undefined && { storageClassName }),
      resources: { requests: { storage: storageSize } },
    },
  };
}

function createMetadata(identity: PodIdentity, { labels, annotations }: KubernetesPodOptions): V1ObjectMeta {
  return {
    name: podName(identity),
    labels: { ...labels, ...identityLabels(identity) },
    annotations: { ...annotations, ...identityAnnotations(identity) },
  };
}

function createSpec(identity: PodIdentity, options: KubernetesPodOptions): V1PodSpec {
  const { image = DEFAULT_IMAGE, imagePullPolicy, imagePullSecrets, resources, nodeSelector, tolerations } = options;
  const { serviceAccountName, runtimeClassName } = options;
  const { uid, gid } = parseUser(options.user);
  return {
    // What has ended says why for as long as it is there, and is made anew by the next call.
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // The Pod's own first process reaps what commands leave behind; ours is no init, and ends on a SIGTERM.
    shareProcessNamespace: true,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    securityContext: {
      runAsNonRoot: uid !== 0,
      runAsUser: uid,
      runAsGroup: gid,
      fsGroup: gid,
      // A claim with many files is not gone through at each start.
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(imagePullSecrets !== undefined && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    ...(nodeSelector !== undefined && { nodeSelector: { ...nodeSelector } }),
    ...(tolerations !== undefined && { tolerations: [...tolerations] }),
    ...(serviceAccountName !== undefined && { serviceAccountName }),
    ...(runtimeClassName !== undefined && { runtimeClassName }),
    containers: [
      {
        name: CONTAINER,
        image,
        ...(imagePullPolicy !== undefined && { imagePullPolicy }),
        command: ['sh', '-c', SETUP_SCRIPT, 'sh', OWN_DIRECTORY, BAKED_DIRECTORY],
        workingDir: WORKDIR,
        ...(resources !== undefined && {
          resources: {
            ...(resources.requests !== undefined && { requests: { ...resources.requests } }),
            ...(resources.limits !== undefined && { limits: { ...resources.limits } }),
          },
        }),
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        volumeMounts: [
          { name: CLAIM_VOLUME, mountPath: WORKDIR },
          { name: RUN_VOLUME, mountPath: RUN_DIRECTORY },
        ],
      },
    ],
    volumes: [
      { name: CLAIM_VOLUME, persistentVolumeClaim: { claimName: podName(identity) } },
      { name: RUN_VOLUME, emptyDir: {} },
    ],
  };
}

/** A patch may change all but what a workspace is found again by, what it stands on, and, unasked, its security. */
function checkPatched(
  identity: PodIdentity,
  spec: V1PodSpec,
  metadata: V1ObjectMeta,
  options: KubernetesPodOptions,
): void {
  const ours = createMetadata(identity, options);
  const keepsAll = (kind: 'labels' | 'annotations'): boolean => {
    const fixed = Object.entries({ ...ours[kind] }).filter(([key]) => !(key in (options[kind] ?? {})));
    const isSame = fixed.every(([key, value]) => metadata[kind]?.[key] === value);
    const added = Object.keys(metadata[kind] ?? {}).filter((key) => key.startsWith(OUR_PREFIX));
    return isSame && added.every((key) => key in { ...ours[kind] });
  };
  if (
    metadata.name !== ours.name ||
    metadata.namespace !== undefined ||
    !keepsAll('labels') ||
    !keepsAll('annotations')
  ) {
    refuse('metadata.name, namespace, and labels and annotations of ours are how the Pod is found again; leave them.');
  }
  const container = (spec.containers as V1Container[] | undefined)?.find(({ name }) => name === CONTAINER);
  const original = createSpec(identity, options);
  const [own] = original.containers;
  const mounts = own?.volumeMounts ?? [];
  const isComplete =
    canonical([container?.command, container?.args, container?.workingDir]) ===
      canonical([own?.command, own?.args, own?.workingDir]) &&
    mounts.every((mount) => container?.volumeMounts?.some((one) => canonical(one) === canonical(mount))) &&
    (original.volumes ?? []).every((volume) => spec.volumes?.some((one) => canonical(one) === canonical(volume))) &&
    spec.restartPolicy === original.restartPolicy;
  if (!isComplete) {
    refuse(`restartPolicy, and the command, directory and volumes of the container ${CONTAINER} are ours; leave them.`);
  }
  if (options.podSecurity === 'unrestricted') return;
  const violations = restrictedViolations({ metadata, spec });
  if (violations.length > 0) {
    refuse(
      `with it the Pod would not keep to the restricted standard (${violations.join(', ')}); take that out, or set podSecurity to unrestricted.`,
    );
  }
}

function refuse(reason: string): never {
  throw new KubernetesOptionsInvalidError({ option: 'podTemplate', reason });
}
