import { parseUser } from '../container/container-user.ts';
import { hostUser } from '../container/prepare-workdir.ts';
import type { DockerImageOptions } from '../docker-options.ts';
import { DockerEngine } from '../engine/docker-engine.ts';
import type { ImageWorkOptions } from './image-work.ts';
import { ensureWorkspaceImage, workspaceDockerfile, type WorkspaceImageOptions } from './workspace-image.ts';

export interface BuildImageOptions extends DockerImageOptions, ImageWorkOptions {
  /** Another name that the image gets, such as one in a registry. Default: none. */
  readonly tag?: string | undefined;
}

/**
 * Builds the image of a workspace ahead of time, so that its first `initialize()` need not.
 *
 * @returns the name that a workspace with these options looks for
 * @throws `docker-unavailable`, `docker-options-invalid`, `docker-request-failed`, `image-build-failed`,
 * `image-pull-failed`, `base-image-lacks-python`
 */
export async function buildImage(options: BuildImageOptions = {}): Promise<string> {
  const { tag, signal, onProgress } = options;
  const engine = await DockerEngine.connect({ dockerHost: options.dockerHost, signal });
  const name = await ensureWorkspaceImage(engine, forUser(options), { signal, onProgress });
  if (tag !== undefined) await engine.images.tag(name, tag, { signal });
  return name;
}

/**
 * The Dockerfile that `buildImage()` builds from with these options. It depends on the base image, which
 * is fetched if it is not there.
 *
 * @throws `docker-unavailable`, `docker-options-invalid`, `image-pull-failed`
 */
export async function imageDockerfile(options: DockerImageOptions & ImageWorkOptions = {}): Promise<string> {
  const { dockerHost, signal, onProgress } = options;
  const engine = await DockerEngine.connect({ dockerHost, signal });
  return await workspaceDockerfile(engine, forUser(options), { signal, onProgress });
}

function forUser(options: DockerImageOptions): WorkspaceImageOptions {
  return { ...options, containerUser: options.user === undefined ? hostUser() : parseUser(options.user) };
}
