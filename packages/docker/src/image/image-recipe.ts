import { createHash } from 'node:crypto';
import { DockerOptionsInvalidError } from '@agent-workspace/core';
import { type DockerfileOptions, dockerfile } from './dockerfile.ts';

/** A file that is copied into the image, beside the gateway. */
export interface ImageFile {
  /** Its name in the image's gateway directory. */
  readonly name: string;
  readonly content: Uint8Array;
  /** Default 0644. */
  readonly mode?: number | undefined;
}

export interface ImageRecipeOptions extends DockerfileOptions {
  readonly files: readonly ImageFile[];
}

/** All that an image is made from, and so its name. */
export interface ImageRecipe {
  readonly options: ImageRecipeOptions;
  /** `agent-workspace:` and a hash of the Dockerfile and of all that it copies. */
  readonly tag: string;
}

const REPOSITORY = 'agent-workspace';
const HASH_CHARACTERS = 32;

/** A name of a registry, of a path, and a tag or a digest. */
const IMAGE_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._/:@-]*$/;
const NODE_VERSION = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;

/**
 * What an image is made from. Two recipes that differ in anything have different tags.
 *
 * @throws `docker-options-invalid`
 */
export function imageRecipe(options: ImageRecipeOptions): ImageRecipe {
  check('baseImage', IMAGE_NAME.test(options.baseImage), 'give the name of an image, such as python:3.12-slim.');
  check('nodeVersion', NODE_VERSION.test(options.nodeVersion), 'give a version such as 24 or 24.1.0.');
  checkPackages('extraPip', options.extraPip);
  checkPackages('extraNpm', options.extraNpm);
  const named = { ...options, baseImage: withTag(options.baseImage) };
  const hash = createHash('sha256').update(dockerfile({ ...named, baseHasNode: false }));
  for (const { name, mode, content } of options.files) {
    hash.update(`\0${JSON.stringify([name, mode])}\0`).update(digestOf(content));
  }
  return { options: named, tag: `${REPOSITORY}:${hash.digest('hex').slice(0, HASH_CHARACTERS)}` };
}

const digests = new WeakMap<Uint8Array, Uint8Array>();

/** Those of the gateway are megabytes, and the same ones for every workspace. */
function digestOf(content: Uint8Array): Uint8Array {
  const digest = digests.get(content) ?? createHash('sha256').update(content).digest();
  digests.set(content, digest);
  return digest;
}

function check(option: string, isValid: boolean, reason: string): void {
  if (!isValid) throw new DockerOptionsInvalidError({ option, reason });
}

function checkPackages(option: string, names: readonly string[]): void {
  const isFine = names.every((name) => name.trim() !== '' && !/[\0\r\n]/.test(name));
  check(option, isFine, 'each entry is one package on one line, such as "numpy==2.1.0".');
}

/** Without a tag, an engine pulls every tag that there is. */
function withTag(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1);
  return last.includes(':') || last.includes('@') ? name : `${name}:latest`;
}
