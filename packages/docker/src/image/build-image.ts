import { parseUser } from '../container/container-user.ts';
import { hostUser } from '../container/prepare-workdir.ts';
import type { DockerImageOptions } from '../docker-options.ts';
import { DockerEngine } from '../engine/docker-engine.ts';
import type { ImageWorkOptions } from './image-work.ts';
import { ensureWorkspaceImage } from './workspace-image.ts';

/**
 * Builds the image of a workspace ahead of time, so that its first `initialize()` need not.
 *
 * @returns its tag
 * @throws `docker-unavailable`, `docker-options-invalid`, `image-build-failed`, `image-pull-failed`,
 * `base-image-lacks-python`
 */
export async function buildImage(options: DockerImageOptions & ImageWorkOptions = {}): Promise<string> {
  const { dockerHost, user, signal, onProgress } = options;
  const containerUser = user === undefined ? hostUser() : parseUser(user);
  const engine = await DockerEngine.connect({ dockerHost, signal });
  return ensureWorkspaceImage(engine, { ...options, containerUser }, { signal, onProgress });
}
