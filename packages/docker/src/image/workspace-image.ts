import type { ContainerUser } from '../container/container-user.ts';
import { DEFAULT_BASE_IMAGE, DEFAULT_NODE_VERSION, type DockerImageOptions } from '../docker-options.ts';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { dockerfileOf, ensureImage } from './ensure-image.ts';
import { gatewayFiles } from './gateway-files.ts';
import { type ImageRecipe, imageRecipe } from './image-recipe.ts';
import type { ImageWorkOptions } from './image-work.ts';

export interface WorkspaceImageOptions extends DockerImageOptions {
  readonly containerUser: ContainerUser;
}

/** Builds the image that workspaces with these options run in, unless it is there. @returns its tag */
export async function ensureWorkspaceImage(
  engine: DockerEngine,
  options: WorkspaceImageOptions,
  work: ImageWorkOptions,
): Promise<string> {
  const recipe = await workspaceRecipe(engine, options);
  await ensureImage(engine, recipe, work);
  return recipe.tag;
}

/** The Dockerfile of that image. */
export async function workspaceDockerfile(
  engine: DockerEngine,
  options: WorkspaceImageOptions,
  work: ImageWorkOptions,
): Promise<string> {
  return await dockerfileOf(engine, await workspaceRecipe(engine, options), work);
}

async function workspaceRecipe(engine: DockerEngine, options: WorkspaceImageOptions): Promise<ImageRecipe> {
  return imageRecipe({
    baseImage: options.baseImage ?? DEFAULT_BASE_IMAGE,
    nodeVersion: options.nodeVersion ?? DEFAULT_NODE_VERSION,
    extraPip: options.extraPip ?? [],
    extraNpm: options.extraNpm ?? [],
    user: options.containerUser,
    files: await gatewayFiles(engine.architecture),
  });
}
