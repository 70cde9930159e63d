export type { ContainerLimits } from './container/container-limits.ts';
export {
  listManagedContainers,
  type ManagedContainer,
  type ManagedContainersOptions,
  removeManagedContainer,
} from './container/managed-containers.ts';
export type { DockerContainerOptions, DockerImageOptions } from './docker-options.ts';
export { DockerWorkspace, type DockerWorkspaceOptions } from './docker-workspace.ts';
export { buildImage, type BuildImageOptions, imageDockerfile } from './image/build-image.ts';
export {
  type EngineInfo,
  type EngineOptions,
  inspectEngine,
  listWorkspaceContainers,
  listWorkspaceImages,
  removeWorkspaceContainer,
  removeWorkspaceImage,
  type WorkspaceContainer,
  type WorkspaceImage,
} from './engine-survey.ts';
export type { ImageWorkOptions } from './image/image-work.ts';
export type { TransportKind } from './transport/transport.ts';
