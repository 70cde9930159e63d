import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { WorkdirNotSharedError } from '@agent-workspace/core';
import type { DockerEngine } from '../engine/docker-engine.ts';

export interface CheckSharedOptions {
  readonly containerId: string;
  /** The directory here, */
  readonly hostDirectory: string;
  /** and where it is mounted. */
  readonly mountPoint: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes sure that a container shows this machine's directory, and not one of the same path where the
 * engine is: a file of an unguessable name, made here, has to be there.
 *
 * @throws `workdir-not-shared`
 */
export async function checkShared(engine: DockerEngine, options: CheckSharedOptions): Promise<void> {
  const { containerId, hostDirectory, mountPoint, signal } = options;
  const name = `.agent-workspace-${randomUUID()}`;
  const path = join(hostDirectory, name);
  try {
    const handle = await open(path, 'wx', 0o600);
    await handle.close();
  } catch (error) {
    // The container's user may write there, and this one need not. Under one kernel, one path is one directory.
    if ((error as NodeJS.ErrnoException).code === 'EACCES' && engine.sharesKernel) return;
    throw error;
  }
  try {
    const isShared = await engine.containers.hasPath(containerId, posix.join(mountPoint, name), { signal });
    if (!isShared) throw new WorkdirNotSharedError({ workdir: hostDirectory, endpoint: engine.address });
  } finally {
    await rm(path, { force: true });
  }
}
