import { ImagePullFailedError, WorkspaceError } from '@agent-workspace/core';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { messageError } from '../engine/engine-messages.ts';
import type { ImageWorkOptions } from './image-work.ts';

/**
 * Fetches an image that is not here, and waits until it is.
 *
 * @throws `image-pull-failed`, `docker-unavailable`
 */
export async function pullIfMissing(
  engine: DockerEngine,
  image: string,
  options: ImageWorkOptions = {},
): Promise<void> {
  const { signal, onProgress } = options;
  if ((await engine.images.inspect(image, { signal })) !== undefined) return;
  onProgress?.(`Pulling ${image}`);
  try {
    for await (const message of engine.images.pull(image, { signal })) {
      const problem = messageError(message);
      if (problem !== undefined) throw new ImagePullFailedError({ image, reason: problem });
      const { status, id, progress } = message;
      // What has a progress bar comes many times a second.
      if (status !== undefined && !progress) onProgress?.(id === undefined ? status : `${id}: ${status}`);
    }
  } catch (error) {
    if (!WorkspaceError.isInstance(error) || error.code !== 'docker-request-failed') throw error;
    throw new ImagePullFailedError({ image, reason: String(error.details['reason']) }, { cause: error });
  }
  if ((await engine.images.inspect(image, { signal })) === undefined) {
    throw new ImagePullFailedError({ image, reason: 'the engine said that it is there, and it is not' });
  }
}
