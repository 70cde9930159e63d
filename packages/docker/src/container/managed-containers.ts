import { type Logger, silentLogger } from '@agent-workspace/core';
import { DockerEngine } from '../engine/docker-engine.ts';
import { IMAGE_LAYOUT } from '../image/layout.ts';
import { LABELS } from './labels.ts';
import { removeContainer } from './remove-container.ts';
import { findContainer } from './workspace-container.ts';

export interface ManagedContainersOptions {
  /** As in the workspace's option. */
  readonly managerId: string;
  /** Where the engine is, as in `DOCKER_HOST`. Default: where the `docker` command would find it. */
  readonly dockerHost?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told what is left of a container that is removed. */
  readonly logger?: Logger | undefined;
}

/** The container of a workspace, as a manager sees it that does not have it open. */
export interface ManagedContainer {
  readonly workspaceId: string;
  /** Milliseconds since the epoch; the engine tells whole seconds. */
  readonly createdAt: number;
  /** The files are in a directory or a volume, and outlive the container. */
  readonly isPersistent: boolean;
  readonly isRunning: boolean;
}

/**
 * The containers of a manager's workspaces, found by their labels, running or not. One that is being removed is
 * left out.
 *
 * @throws `docker-unavailable`, `docker-request-failed`, `docker-options-invalid`
 */
export async function listManagedContainers(options: ManagedContainersOptions): Promise<readonly ManagedContainer[]> {
  const { managerId, ...connection } = options;
  const engine = await DockerEngine.connect(connection);
  const found = await engine.containers.list({ [LABELS.manager]: managerId }, connection);
  return found.flatMap(({ labels, createdAt, state, mountPoints }) => {
    const workspaceId = labels[LABELS.workspace];
    if (workspaceId === undefined || state === 'removing') return [];
    const isPersistent = mountPoints.includes(IMAGE_LAYOUT.workdir);
    return [{ workspaceId, createdAt, isPersistent, isRunning: state === 'running' }];
  });
}

/**
 * Does what the last `close()` of a workspace does, for one that no host has open: its container is removed, with the
 * directory for its socket. What is in a directory or a volume stays. Nothing there is no error.
 *
 * @throws `docker-unavailable`, `docker-request-failed`, `docker-options-invalid`
 */
export async function removeManagedContainer(
  options: ManagedContainersOptions & { readonly workspaceId: string },
): Promise<void> {
  const { managerId, workspaceId, logger = silentLogger, ...connection } = options;
  const engine = await DockerEngine.connect(connection);
  const container = await findContainer(engine, { managerId, workspaceId }, connection);
  if (container !== undefined) await removeContainer(engine, container, { logger });
}
