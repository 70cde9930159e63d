import { randomUUID } from 'node:crypto';
import type { StoredRecord } from './lease-object.ts';
import type { ObservedSilence } from './observed-silence.ts';
import type { WorkspaceRecord } from './records.ts';

/** Of a workspace that nothing is known of. */
export function freshWorkspace(id: string): WorkspaceRecord {
  return { id, life: randomUUID(), attached: [] };
}

/** Whoever changes a workspace keeps it from being collected. */
export function kept({ isLeaving: _isLeaving, ...record }: WorkspaceRecord): WorkspaceRecord {
  return record;
}

/** Nobody has taken it since, whatever the time is. */
export function hasLease({ lease, fence }: WorkspaceRecord, ofFence: number): boolean {
  return lease !== undefined && fence === ofFence;
}

/** Whether anyone may take the lease, as far as this observer has seen. */
export function isLeaseOver({ record, name, askedAt }: StoredRecord<'workspace'>, silence: ObservedSilence): boolean {
  const { lease, fence } = record;
  if (lease === undefined) return true;
  return silence.note(name, `${fence}:${lease.renewals}`, askedAt) >= lease.ttlMs;
}
