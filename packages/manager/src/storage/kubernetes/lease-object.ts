import type { ClusterConnection } from '@agent-workspace/kubernetes';
import { hashed, labelValue, recordName } from './record-names.ts';
import type { RecordKind, Records } from './records.ts';

/** The client's own type, which stays inside. */
export type LeaseObject = Awaited<ReturnType<ClusterConnection['coordination']['readNamespacedLease']>>;

/** A record as it was read or written. */
export interface StoredRecord<K extends RecordKind> {
  readonly kind: K;
  readonly record: Records[K];
  readonly name: string;
  readonly uid: string;
  /** The cluster's own, of this state. */
  readonly version: string;
  /** When it was asked for, by `performance.now()`. */
  readonly askedAt: number;
}

export const LABELS = {
  application: 'app.kubernetes.io/managed-by',
  service: 'agent-workspace.dev/service',
  kind: 'agent-workspace.dev/record-kind',
  /** On a workspace that may be of no use any more. */
  ownerless: 'agent-workspace.dev/ownerless',
  /** On a binding: which workspace it leads to. */
  boundTo: 'agent-workspace.dev/bound-to',
} as const;

const RECORD = 'agent-workspace.dev/record';

/** The cluster takes times of exactly six decimals. */
class MicroTime extends Date {
  override toISOString(): string {
    return super.toISOString().replace('Z', '000Z');
  }
}

/** What each object of a kind has, by which all of them are found. */
export function labelsOf(service: string, kind: RecordKind): Record<string, string> {
  return { [LABELS.application]: 'agent-workspace', [LABELS.service]: labelValue(service), [LABELS.kind]: kind };
}

/** Makes the object of a record. What it says beside the annotation is for `kubectl get leases`, and is never read. */
export function leaseObjectOf<K extends RecordKind>(
  service: string,
  kind: K,
  record: Records[K],
  metadata: { readonly uid?: string; readonly resourceVersion?: string } = {},
): LeaseObject {
  const holder = holderOf(record);
  return {
    metadata: {
      ...metadata,
      name: recordName(service, kind, record.id),
      labels: { ...labelsOf(service, kind), ...ownLabels(record) },
      annotations: { [RECORD]: JSON.stringify(record) },
    },
    spec:
      holder === undefined
        ? {}
        : {
            holderIdentity: holder.replicaId,
            leaseDurationSeconds: Math.max(1, Math.ceil(holder.ttlMs / 1_000)),
            renewTime: new MicroTime(),
          },
  };
}

/** @throws where the object is not one that we have written for this id */
export function storedRecord<K extends RecordKind>(
  kind: K,
  { metadata = {} }: LeaseObject,
  { service, id, askedAt }: { readonly service: string; readonly id?: string | undefined; readonly askedAt: number },
): StoredRecord<K> {
  const { name = '', uid = '', resourceVersion: version = '', annotations = {} } = metadata;
  const record = JSON.parse(annotations[RECORD] ?? '{}') as Records[K];
  // It may be anything that somebody has put there.
  const { id: found = '' } = record as { readonly id?: string };
  const isOurs = name === recordName(service, kind, found) && (id === undefined || id === found);
  if (!isOurs) throw new Error(`The Lease ${name} holds no record of the ${kind} that it is named for`);
  return { kind, record, name, uid, version, askedAt };
}

/** By which the bindings of a workspace are found. */
export function boundTo(workspaceId: string): Record<string, string> {
  return { [LABELS.boundTo]: hashed(workspaceId) };
}

function ownLabels(record: Records[RecordKind]): Record<string, string> {
  if ('workspaceId' in record) return boundTo(record.workspaceId);
  if (!('attached' in record) || record.owner !== undefined || record.isSlot === true) return {};
  return { [LABELS.ownerless]: 'true' };
}

function holderOf(record: Records[RecordKind]): { readonly replicaId: string; readonly ttlMs: number } | undefined {
  if ('attached' in record) return record.lease;
  return 'ttlMs' in record ? { replicaId: record.id, ttlMs: record.ttlMs } : undefined;
}
