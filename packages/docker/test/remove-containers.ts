import { LABELS } from '../src/container/labels.ts';
import type { DockerEngine } from '../src/engine/docker-engine.ts';
import { mountedSocketDirectory } from '../src/transport/choose-transport.ts';
import { removeSocketDirectory } from '../src/transport/socket-directory.ts';

/** Removes what a test has left: every container of a manager, and the directories for their sockets. */
export async function removeContainers(engine: DockerEngine, managerId: string): Promise<void> {
  for (const { id } of await engine.containers.list({ [LABELS.manager]: managerId })) {
    const container = await engine.containers.inspect(id);
    await engine.containers.remove(id);
    const directory = container && mountedSocketDirectory(container);
    if (directory !== undefined) await removeSocketDirectory(directory);
  }
}
