import type { SandboxInfo } from 'e2b';
import type { E2BConnectionOptions } from '../e2b-options.ts';
import { ControlPlane } from './control-plane.ts';
import { findAll } from './find-sandbox.ts';
import { createdAtOf, isOf, METADATA_KEYS } from './identity.ts';

export interface ManagedSandboxesOptions extends E2BConnectionOptions {
  /** As in the workspace's option. */
  readonly managerId: string;
  /** Gives up the listing. */
  readonly signal?: AbortSignal | undefined;
}

/** The sandbox of a workspace, as a manager sees it that does not have it open. */
export interface ManagedSandbox {
  readonly workspaceId: string;
  /** Milliseconds since the epoch, by the clock of the host that made it. Of several, the youngest one's. */
  readonly createdAt: number;
  /** The files outlive a pause. */
  readonly isPersistent: true;
  /** Not paused. Of several, any of them. */
  readonly isRunning: boolean;
}

/**
 * The sandboxes of a manager's workspaces, found by their metadata, running and paused, from every page.
 *
 * @throws `e2b-request-failed`, `e2b-options-invalid`
 */
export async function listManagedSandboxes(options: ManagedSandboxesOptions): Promise<readonly ManagedSandbox[]> {
  const { managerId, signal, ...connection } = options;
  const metadata = { [METADATA_KEYS.manager]: managerId };
  const found = await new ControlPlane(connection).list(metadata, signal);
  // A server that passes over a filter would hand out the sandboxes of others.
  const ours = found.filter((info) => isOf(info, metadata));
  return [...Map.groupBy(ours, (info) => info.metadata[METADATA_KEYS.workspace])].flatMap(([workspaceId, sandboxes]) =>
    workspaceId === undefined ? [] : [managed(workspaceId, sandboxes)],
  );
}

function managed(workspaceId: string, sandboxes: readonly SandboxInfo[]): ManagedSandbox {
  return {
    workspaceId,
    createdAt: Math.max(...sandboxes.map((info) => createdAtOf(info).getTime())),
    isPersistent: true,
    isRunning: sandboxes.some(({ state }) => state === 'running'),
  };
}

/**
 * Does what the last `close()` of a workspace does, for one that no host has open: its sandbox is paused, with what
 * runs in it. Nothing there is no error. What is to go with its data is killed by `E2BWorkspace.destroy()`.
 *
 * @throws `e2b-request-failed`, `e2b-options-invalid`
 */
export async function pauseManagedSandbox(
  options: ManagedSandboxesOptions & { readonly workspaceId: string },
): Promise<void> {
  const { managerId, workspaceId, signal, ...connection } = options;
  const control = new ControlPlane(connection);
  const found = await findAll(control, { managerId, workspaceId }, signal);
  for (const { sandboxId, state } of found) if (state === 'running') await control.pause(sandboxId);
}
