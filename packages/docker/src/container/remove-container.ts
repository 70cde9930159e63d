import type { DockerEngine } from '../engine/docker-engine.ts';
import type { EngineContainer } from '../engine/engine-container.ts';
import { mountedSocketDirectory } from '../transport/choose-transport.ts';
import { removeSocketDirectory } from '../transport/socket-directory.ts';

/** Ends a container of ours and removes it, with the directory for its socket. Its data stay where they are mounted from. */
export async function removeContainer(engine: DockerEngine, container: EngineContainer): Promise<void> {
  await engine.containers.remove(container.id);
  const directory = mountedSocketDirectory(container);
  if (directory !== undefined) await removeSocketDirectory(directory);
}
