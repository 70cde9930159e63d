import { createHash } from 'node:crypto';

/** Whose a Pod is. */
export interface PodIdentity {
  readonly managerId: string;
  readonly workspaceId: string;
}

/** What our Pods and claims carry. Things are found again by these. */
export const LABELS = {
  managedBy: 'app.kubernetes.io/managed-by',
  /** Whose it is: a manager's id, or `standalone`; hashed where it is no label's value. */
  manager: 'agent-workspace.dev/manager-id',
  /** Hashed where it is no label's value. */
  workspace: 'agent-workspace.dev/workspace-id',
} as const;

/** What is told beside the labels. */
export const ANNOTATIONS = {
  /** As they are, whatever is in them. */
  manager: 'agent-workspace.dev/manager-id',
  workspace: 'agent-workspace.dev/workspace-id',
  /** A hash of all that the Pod was created with. */
  configuration: 'agent-workspace.dev/configuration',
} as const;

export const MANAGED_BY = 'agent-workspace';

/** Begins all names of labels and annotations of ours. */
export const OUR_PREFIX = 'agent-workspace.dev/';

/** Of workspaces without a manager, which nobody reaps. */
export const STANDALONE = 'standalone';

const LABEL_VALUE = /^[a-zA-Z0-9](?:[a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?$/;
const HASHED = 'sha256-';
const LABEL_HASH_CHARACTERS = 40;
/** 80 bits. */
const NAME_HASH_CHARACTERS = 20;
/** A name is a host name as well, of 63 characters at the most. */
const MAX_MANAGER_CHARACTERS = 36;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** An id as a label's value: itself where it can be one, else its hash. No two ids have the same. */
export function labelValue(id: string): string {
  if (LABEL_VALUE.test(id) && !id.startsWith(HASHED)) return id;
  return `${HASHED}${sha256(id).slice(0, LABEL_HASH_CHARACTERS)}`;
}

/** The name of a workspace's Pod and of its claim: legal, and never that of another workspace. */
export function podName({ managerId, workspaceId }: PodIdentity): string {
  const slug = managerId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_MANAGER_CHARACTERS)
    .replaceAll(/^-+|-+$/g, '');
  const hash = sha256(JSON.stringify([managerId, workspaceId])).slice(0, NAME_HASH_CHARACTERS);
  return slug === '' ? `aw-${hash}` : `aw-${slug}-${hash}`;
}

export function identityLabels({ managerId, workspaceId }: PodIdentity): Record<string, string> {
  return {
    [LABELS.managedBy]: MANAGED_BY,
    [LABELS.manager]: labelValue(managerId),
    [LABELS.workspace]: labelValue(workspaceId),
  };
}

export function identityAnnotations({ managerId, workspaceId }: PodIdentity): Record<string, string> {
  return { [ANNOTATIONS.manager]: managerId, [ANNOTATIONS.workspace]: workspaceId };
}

/** As a list request takes it. */
export function labelSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
