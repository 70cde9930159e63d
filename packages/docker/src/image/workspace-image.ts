import type { ContainerUser } from '../container/container-user.ts';
import { DEFAULT_BASE_IMAGE, DEFAULT_NODE_VERSION, type DockerImageOptions } from '../docker-options.ts';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { ensureImage } from './ensure-image.ts';
import { gatewayFiles } from './gateway-files.ts';
import { imageRecipe } from './image-recipe.ts';
import type { ImageWorkOptions } from './image-work.ts';

/** Builds the image that workspaces with these options run in, unless it is there. @returns its tag */
export async function ensureWorkspaceImage(
  engine: DockerEngine,
  options: DockerImageOptions & { readonly containerUser: ContainerUser },
  work: ImageWorkOptions,
): Promise<string> {
  const recipe = imageRecipe({
    baseImage: options.baseImage ?? DEFAULT_BASE_IMAGE,
    nodeVersion: options.nodeVersion ?? DEFAULT_NODE_VERSION,
    extraPip: options.extraPip ?? [],
    extraNpm: options.extraNpm ?? [],
    user: options.containerUser,
    files: await gatewayFiles(engine.architecture),
  });
  await ensureImage(engine, recipe, work);
  return recipe.tag;
}
