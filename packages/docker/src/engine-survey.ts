import { silentLogger } from '@agent-workspace/core';
import { LABELS } from './container/labels.ts';
import { removeContainer } from './container/remove-container.ts';
import { DockerEngine } from './engine/docker-engine.ts';
import { IMAGE_LAYOUT } from './image/layout.ts';

/*
 * What an engine has of ours, whoever's it is: for the command that lists and tidies a machine. A
 * manager goes by `listManagedContainers`, which sees its own alone.
 */

export interface EngineOptions {
  /** Where the engine is, as in `DOCKER_HOST`. Default: where the `docker` command would find it. */
  readonly dockerHost?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface EngineInfo {
  /** As in `DOCKER_HOST`. */
  readonly address: string;
  readonly version: string;
  readonly apiVersion: string;
  /** Of its containers, as in `process.arch`. */
  readonly architecture: string;
}

/** A container that carries our labels. */
export interface WorkspaceContainer {
  readonly id: string;
  /** `undefined` for a helper that is no workspace's. */
  readonly workspaceId: string | undefined;
  /** `standalone` where no manager has it; `undefined` for a helper. */
  readonly managerId: string | undefined;
  /** The engine's word: `running`, `exited`, `created`, … */
  readonly state: string;
  /** Milliseconds since the epoch; the engine tells whole seconds. */
  readonly createdAt: number;
  /** The files are in a directory or a volume, and outlive the container. */
  readonly isPersistent: boolean;
  /** Directories of the engine's host that are mounted in it. */
  readonly mountSources: readonly string[];
}

/** An image that was built for workspaces. */
export interface WorkspaceImage {
  readonly id: string;
  readonly names: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly sizeBytes: number;
  /** A container is made from it, running or not. */
  readonly isUsed: boolean;
}

/** The engine that answers. @throws `docker-unavailable`, `docker-options-invalid` */
export async function inspectEngine(options: EngineOptions = {}): Promise<EngineInfo> {
  const { address, version, apiVersion, architecture } = await DockerEngine.connect(options);
  return { address, version, apiVersion, architecture };
}

/** Every container of ours. @throws `docker-unavailable`, `docker-request-failed`, `docker-options-invalid` */
export async function listWorkspaceContainers(options: EngineOptions = {}): Promise<readonly WorkspaceContainer[]> {
  const engine = await DockerEngine.connect(options);
  const [workspaces, helpers] = await Promise.all([
    engine.containers.list({ [LABELS.manager]: undefined }, options),
    engine.containers.list({ [LABELS.role]: 'probe' }, options),
  ]);
  return [...workspaces, ...helpers].map(({ id, labels, state, createdAt, mountPoints, mountSources }) => ({
    id,
    workspaceId: labels[LABELS.workspace],
    managerId: labels[LABELS.manager],
    state,
    createdAt,
    isPersistent: mountPoints.includes(IMAGE_LAYOUT.workdir),
    mountSources,
  }));
}

/**
 * Ends a container and removes it, with the directory for its socket. What is in a directory or a
 * volume stays. Nothing there is no error.
 *
 * @throws `docker-unavailable`, `docker-request-failed`, `docker-options-invalid`
 */
export async function removeWorkspaceContainer(options: EngineOptions & { readonly id: string }): Promise<void> {
  const engine = await DockerEngine.connect(options);
  const container = await engine.containers.inspect(options.id, options);
  // A directory that is left is found on its own, as one that no container uses.
  if (container !== undefined) await removeContainer(engine, container, { logger: silentLogger });
}

/** Every image that was built for workspaces. @throws `docker-unavailable`, `docker-request-failed`, `docker-options-invalid` */
export async function listWorkspaceImages(options: EngineOptions = {}): Promise<readonly WorkspaceImage[]> {
  const engine = await DockerEngine.connect(options);
  const [images, containers] = await Promise.all([
    engine.images.list({ [LABELS.role]: 'image' }, options),
    engine.containers.list({}, options),
  ]);
  const used = new Set(containers.map(({ imageId }) => imageId));
  return images.map((image) => ({ ...image, isUsed: used.has(image.id) }));
}

/**
 * Removes an image with all of its names. Nothing there is no error.
 *
 * @throws `docker-unavailable`, `docker-request-failed`, such as where a container uses it
 */
export async function removeWorkspaceImage(options: EngineOptions & { readonly image: WorkspaceImage }): Promise<void> {
  const engine = await DockerEngine.connect(options);
  const { id, names } = options.image;
  for (const name of names) await engine.images.remove(name, options);
  // Without a name, its id is what is left of it; with its last name, it went.
  await engine.images.remove(id, options);
}
