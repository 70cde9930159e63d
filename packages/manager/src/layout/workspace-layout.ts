import type { WorkspaceKey } from '@agent-workspace/core';
import type { Isolation } from '../identity/isolation.ts';

/** Other ids than ours, for a manager that goes on where another software has worked. */
export interface WorkspaceLayout {
  /** The id of a key's workspace, where the grain has one that is derived. */
  deriveId(isolation: Exclude<Isolation, 'per-session'>, key: WorkspaceKey): string;
  /** The id of a workspace that is there from before, under a rule that is used no more. */
  findOlder?(isolation: Isolation, key: WorkspaceKey): Promise<string | undefined>;
}
