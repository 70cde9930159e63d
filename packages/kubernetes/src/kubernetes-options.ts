import { KubernetesOptionsInvalidError, lazy } from '@agent-workspace/core';
import type { V1PodTemplateSpec, V1Toleration } from '@kubernetes/client-node';
import { z } from 'zod';
import type { KubernetesConnectionOptions } from './cluster/connection-options.ts';
import { OUR_PREFIX } from './pod/identity.ts';
import { annotationViolations } from './pod/restricted.ts';
import type { TransportKind } from './transport/transport.ts';

/** Quantities as Kubernetes writes them, such as `500m` and `1Gi`. */
export interface PodResources {
  readonly requests?: Readonly<Record<string, string>> | undefined;
  readonly limits?: Readonly<Record<string, string>> | undefined;
}

/** `T` with everything in it optional, and `null` where something is to go. */
export type Patch<T> = T extends readonly (infer Item)[]
  ? readonly Patch<Item>[]
  : T extends Date
    ? T
    : T extends object
      ? { readonly [Key in keyof T]?: Patch<T[Key]> | null | undefined }
      : T;

/** What the Pod and the claim of a workspace are like. */
export interface KubernetesPodOptions extends KubernetesConnectionOptions {
  /** One with Node 20 or later and `sh`; best one that `@agent-workspace/docker` has built. Default `node:24-slim`. */
  readonly image?: string | undefined;
  /** Default: the cluster's, `Always` for the tag `latest` and `IfNotPresent` else. */
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined;
  /** Names of Secrets of the namespace. */
  readonly imagePullSecrets?: readonly string[] | undefined;
  /** Default: none, so that the namespace's LimitRange decides. */
  readonly resources?: PodResources | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly V1Toleration[] | undefined;
  /** Its token is not in the Pod. Default: the namespace's `default`. */
  readonly serviceAccountName?: string | undefined;
  /** Such as one of gVisor or Kata. Default: the cluster's own runtime. */
  readonly runtimeClassName?: string | undefined;
  /** Of the claim when it is made. Default: the cluster's own. */
  readonly storageClassName?: string | undefined;
  /** Of the claim when it is made; one that is there keeps its size. Default `1Gi`. */
  readonly storageSize?: string | undefined;
  /** Labels of the Pod and the claim, beside ours. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Annotations of the Pod and the claim, beside ours. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /**
   * For all else: merged into the Pod. Objects are merged; of lists, containers, volumes, variables and what else
   * has a name are merged by it, and others replaced; `null` removes. Our container is `workspace`.
   */
  readonly podTemplate?: Patch<Pick<V1PodTemplateSpec, 'metadata' | 'spec'>> | undefined;
  /**
   * Refuses a `podTemplate`, a `user` and `annotations` with which the Pod would not keep to the `restricted`
   * standard, unless it is `unrestricted`. Default `restricted`.
   */
  readonly podSecurity?: 'restricted' | 'unrestricted' | undefined;
  /** Whom everything runs as, `uid` or `uid:gid`; files of the claim belong to the group. Default `1000:1000`. */
  readonly user?: string | undefined;
  /** How the gateway is reached. Default: the first of `pod-ip`, `port-forward` and `exec` that leads there. */
  readonly transport?: TransportKind | undefined;
  /** The Pod's port that the gateway listens on, unless `transport` is `exec`. Default 48765. */
  readonly gatewayPort?: number | undefined;
  /** The last `close()` removes the claim, too. Default `false`. */
  readonly deleteVolumeOnClose?: boolean | undefined;
  /** Milliseconds for the Pod to be made and run, the pull of its image included. Default 120,000. */
  readonly startTimeoutMs?: number | undefined;
  /** Whose the Pod is. Default `standalone`, which no manager reaps. */
  readonly managerId?: string | undefined;
}

export const DEFAULT_IMAGE = 'node:24-slim';
export const DEFAULT_STORAGE_SIZE = '1Gi';
/** Seldom taken by what agents start. */
export const DEFAULT_GATEWAY_PORT = 48_765;
/** A pull of a large image takes a minute, and a node that has to come up two. */
export const DEFAULT_START_TIMEOUT_MS = 120_000;
const DEFAULT_USER: PodUser = { uid: 1000, gid: 1000 };

/** Whom a Pod runs as. */
export interface PodUser {
  readonly uid: number;
  readonly gid: number;
}

const USER = /^(\d{1,10})(?::(\d{1,10}))?$/;

/** Reads the `user` option, once it is checked: the group is as the user by default. */
export function parseUser(text: string | undefined): PodUser {
  const [, uid, gid] = USER.exec(text ?? '') ?? [];
  return uid === undefined ? DEFAULT_USER : { uid: Number(uid), gid: Number(gid ?? uid) };
}

/** @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
const QUANTITY = /^[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+|[numkMGTPE]|[KMGTPE]i)?$/;
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const LABEL_NAME = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?[a-zA-Z0-9](?:[a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?$/;
const LABEL_VALUE = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?)?$/;
/** Timers take no more. */
const MAX_TIMEOUT_MS = 2_147_483_647;

const schema = lazy(() => {
  const name = z.string().regex(NAME, 'give a name as Kubernetes has it: lower case letters, digits, "-" and ".".');
  const quantity = z.string().regex(QUANTITY, 'give a quantity as Kubernetes writes it, such as "500m" or "1Gi".');
  const quantities = z.record(z.string(), quantity).optional();
  const notOurs = z
    .string()
    .regex(LABEL_NAME, 'it has a name that Kubernetes does not take.')
    .refine((key) => !key.startsWith(OUR_PREFIX), `names that begin with ${OUR_PREFIX} are how a Pod is found again.`);
  const labelValue = z.string().regex(LABEL_VALUE, 'give a value as a label has it: 63 characters, no spaces.');
  const labels = z.record(notOurs, labelValue).optional();
  return z.object({
    kubeconfig: z.string().min(1, 'give a path or the text of a kubeconfig.').optional(),
    context: z.string().optional(),
    namespace: name.optional(),
    image: z.string().min(1, 'give the name of an image.').optional(),
    imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
    imagePullSecrets: z.array(name).optional(),
    resources: z.object({ requests: quantities, limits: quantities }).optional(),
    nodeSelector: z.record(z.string(), labelValue).optional(),
    tolerations: z.array(z.looseObject({})).optional(),
    serviceAccountName: name.optional(),
    runtimeClassName: name.optional(),
    storageClassName: name.optional(),
    storageSize: quantity.optional(),
    labels,
    annotations: z.record(notOurs, z.string()).optional(),
    podTemplate: z.looseObject({}).optional(),
    podSecurity: z.enum(['restricted', 'unrestricted']).optional(),
    user: z
      .string()
      .regex(USER, 'give numbers, as in "1000" or "1000:1000", since the image need not know your names.')
      .optional(),
    transport: z.enum(['pod-ip', 'port-forward', 'exec']).optional(),
    gatewayPort: z
      .number()
      .int()
      .min(1024, 'give a port from 1024 on, which any user may listen on.')
      .max(65_535)
      .optional(),
    deleteVolumeOnClose: z.boolean().optional(),
    startTimeoutMs: z.number().positive().max(MAX_TIMEOUT_MS).optional(),
    managerId: z.string().optional(),
  });
});

/** @throws `kubernetes-options-invalid` */
export function checkPodOptions(options: KubernetesPodOptions): void {
  const { error } = schema().safeParse(options);
  if (error !== undefined) {
    const [issue] = error.issues;
    const option = issue?.path.map(String).join('.') ?? '';
    throw new KubernetesOptionsInvalidError({ option, reason: issue?.message ?? 'it means nothing.' });
  }
  if (options.podSecurity === 'unrestricted') return;
  if (parseUser(options.user).uid === 0) {
    const reason = 'root is not within the restricted standard; name another user, or set podSecurity to unrestricted.';
    throw new KubernetesOptionsInvalidError({ option: 'user', reason });
  }
  const violations = annotationViolations(options.annotations);
  if (violations.length > 0) {
    const reason = `with it the Pod would not keep to the restricted standard (${violations.join(', ')}); take that out, or set podSecurity to unrestricted.`;
    throw new KubernetesOptionsInvalidError({ option: 'annotations', reason });
  }
}
