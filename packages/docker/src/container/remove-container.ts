import type { Logger } from '@agent-workspace/core';
import type { DockerEngine } from '../engine/docker-engine.ts';
import type { EngineContainer } from '../engine/engine-container.ts';
import { mountedSocketDirectory } from '../transport/choose-transport.ts';
import { removeSocketDirectory } from '../transport/socket-directory.ts';

/**
 * Ends a container of ours and removes it, with the directory for its socket. Its data stay where they are mounted from.
 * An agent can make that directory one that this process may not remove: then it is left, which is logged.
 */
export async function removeContainer(
  engine: DockerEngine,
  container: EngineContainer,
  { logger, signal }: { readonly logger: Logger; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  await engine.containers.remove(container.id, { signal });
  const directory = mountedSocketDirectory(container);
  if (directory === undefined) return;
  try {
    await removeSocketDirectory(directory);
  } catch (error) {
    logger.warn("Could not remove the directory for a container's socket.", { directory, error });
  }
}
