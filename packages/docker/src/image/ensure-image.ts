import { BaseImageLacksPythonError, ImageBuildFailedError } from '@agent-workspace/core';
import { LABELS } from '../container/labels.ts';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { type EngineMessage, messageError } from '../engine/engine-messages.ts';
import { hasUsableNode } from './base-node.ts';
import { buildContext } from './build-context.ts';
import { dockerfile, NO_PYTHON, nodeImage, PROBLEM_PREFIX } from './dockerfile.ts';
import type { ImageRecipe } from './image-recipe.ts';
import type { ImageWorkOptions } from './image-work.ts';
import { pullIfMissing } from './pull-image.ts';
import { SharedWork } from './shared-work.ts';

/** Of a failing step's output, for the message. */
const MAX_LOG_LINES = 30;
const MAX_LINE_CHARACTERS = 500;

const builds = new SharedWork();

/**
 * Builds the image of a recipe, unless it is there. Those who ask at the same time share one build.
 *
 * @returns whether it had to be built
 * @throws `image-build-failed`, `image-pull-failed`, `base-image-lacks-python`, `docker-unavailable`
 */
export async function ensureImage(
  engine: DockerEngine,
  recipe: ImageRecipe,
  options: ImageWorkOptions = {},
): Promise<{ readonly wasBuilt: boolean }> {
  const { tag } = recipe;
  if ((await engine.images.inspect(tag, options)) !== undefined) return { wasBuilt: false };
  await builds.run(`${engine.address} ${tag}`, (work) => buildImage(engine, recipe, work), options);
  return { wasBuilt: true };
}

/**
 * The Dockerfile of a recipe, as the base image wants it.
 *
 * @throws `image-pull-failed`, `docker-unavailable`
 */
export async function dockerfileOf(
  engine: DockerEngine,
  { options }: ImageRecipe,
  work: ImageWorkOptions = {},
): Promise<string> {
  return dockerfile({ ...options, baseHasNode: await baseHasNode(engine, options.baseImage, work) });
}

async function baseHasNode(engine: DockerEngine, baseImage: string, work: ImageWorkOptions): Promise<boolean> {
  await pullIfMissing(engine, baseImage, work);
  return await hasUsableNode(engine, baseImage, { signal: work.signal });
}

async function buildImage(engine: DockerEngine, recipe: ImageRecipe, options: ImageWorkOptions): Promise<void> {
  const { signal, onProgress } = options;
  const { baseImage, nodeVersion, files } = recipe.options;
  const hasNode = await baseHasNode(engine, baseImage, options);
  if (!hasNode) await pullIfMissing(engine, nodeImage(nodeVersion), options);
  const context = buildContext(dockerfile({ ...recipe.options, baseHasNode: hasNode }), files);
  const log = new BuildLog();
  const labels = { [LABELS.role]: 'image' };
  for await (const message of engine.images.build(context, { tag: recipe.tag, labels, signal })) {
    for (const line of log.add(message)) onProgress?.(line);
    const problem = messageError(message);
    if (problem !== undefined) throw log.error(recipe, problem);
  }
}

/** Which step a build is at, and the end of what it printed. */
class BuildLog {
  #step: string | undefined;
  #lines: string[] = [];

  /** @returns the lines in the message */
  add({ stream = '' }: EngineMessage): readonly string[] {
    const lines = stream.split(/[\r\n]+/).filter((line) => line.trim() !== '');
    for (const line of lines) {
      const step = /^Step \d+\/\d+ : (.*)$/.exec(line)?.[1];
      if (step !== undefined) {
        this.#step = step;
        this.#lines = [];
      } else if (!line.startsWith(' --->')) {
        this.#lines = [...this.#lines, line.slice(0, MAX_LINE_CHARACTERS)].slice(-MAX_LOG_LINES);
      }
    }
    return lines;
  }

  error({ tag, options }: ImageRecipe, problem: string): Error {
    // Of our own checks, the reason is what they print.
    const found = this.#lines.find((line) => line.includes(PROBLEM_PREFIX));
    const own = found?.slice(found.indexOf(PROBLEM_PREFIX) + PROBLEM_PREFIX.length);
    if (own === NO_PYTHON) return new BaseImageLacksPythonError({ baseImage: options.baseImage });
    if (own !== undefined) return new ImageBuildFailedError({ image: tag, reason: own });
    const log = this.#lines.join('\n');
    return new ImageBuildFailedError({ image: tag, step: this.#step, reason: problem, log });
  }
}
