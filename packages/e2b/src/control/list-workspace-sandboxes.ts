import type { E2BConnectionOptions } from '../e2b-options.ts';
import { ControlPlane } from './control-plane.ts';
import { METADATA_KEYS } from './identity.ts';

export interface ListWorkspaceSandboxesOptions extends E2BConnectionOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A sandbox that is a workspace's. */
export interface WorkspaceSandbox {
  readonly sandboxId: string;
  readonly workspaceId: string;
  /** `standalone` where no manager has it. */
  readonly managerId: string | undefined;
  readonly state: 'running' | 'paused';
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Every sandbox of ours that the key's team has, running and paused. @throws `e2b-request-failed` */
export async function listWorkspaceSandboxes(
  options: ListWorkspaceSandboxesOptions = {},
): Promise<readonly WorkspaceSandbox[]> {
  const { signal, ...connection } = options;
  const found = await new ControlPlane(connection).list({}, signal);
  return found.flatMap(({ sandboxId, metadata, state, startedAt }) => {
    const workspaceId = metadata[METADATA_KEYS.workspace];
    if (workspaceId === undefined) return [];
    const createdAt = Date.parse(metadata[METADATA_KEYS.createdAt] ?? '') || startedAt.getTime();
    return [{ sandboxId, workspaceId, managerId: metadata[METADATA_KEYS.manager], state, createdAt }];
  });
}
