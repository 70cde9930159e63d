import { randomUUID } from 'node:crypto';
import type { SandboxInfo } from 'e2b';

/** Metadata that a sandbox is found again by. */
export const METADATA_KEYS = {
  manager: 'agentWorkspaceManager',
  workspace: 'agentWorkspaceId',
  /** One for each create call, to tell what it made although its answer got lost. */
  creation: 'agentWorkspaceCreation',
  createdAt: 'agentWorkspaceCreatedAt',
} as const;

/** Which workspace it is. */
export interface SandboxIdentity {
  readonly managerId: string;
  readonly workspaceId: string;
}

/** What every sandbox of a workspace has. */
export function identityMetadata({ managerId, workspaceId }: SandboxIdentity): Record<string, string> {
  return { [METADATA_KEYS.manager]: managerId, [METADATA_KEYS.workspace]: workspaceId };
}

/** What this one alone has. */
export function creationMetadata(): Record<string, string> {
  return { [METADATA_KEYS.creation]: randomUUID(), [METADATA_KEYS.createdAt]: new Date().toISOString() };
}

export function isOf(info: SandboxInfo, metadata: Readonly<Record<string, string>>): boolean {
  return Object.entries(metadata).every(([key, value]) => info.metadata[key] === value);
}

/** When it was made, which `startedAt` tells no more after the first resume. */
export function createdAtOf({ metadata, startedAt }: SandboxInfo): Date {
  const createdAt = new Date(metadata[METADATA_KEYS.createdAt] ?? Number.NaN);
  return Number.isNaN(createdAt.getTime()) ? startedAt : createdAt;
}

/** The order of sandboxes that a look has found: by their creation. */
export function byCreation(one: SandboxInfo, other: SandboxInfo): number {
  return createdAtOf(one).getTime() - createdAtOf(other).getTime() || compare(one.sandboxId, other.sandboxId);
}

/** The order of sandboxes that were made just now, perhaps by hosts whose clocks differ: by E2B's clock. */
export function byStart(one: SandboxInfo, other: SandboxInfo): number {
  return one.startedAt.getTime() - other.startedAt.getTime() || compare(one.sandboxId, other.sandboxId);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
