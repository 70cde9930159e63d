import { parseArgs } from 'node:util';
import { buildImage, imageDockerfile } from '../index.ts';
import { UsageError } from './usage-error.ts';

/**
 * `build-image`: builds the image and prints its name on stdout, and all else on stderr.
 *
 * @throws UsageError, and what `buildImage()` throws
 */
export async function runBuildImage(args: readonly string[]): Promise<void> {
  const values = parse(args);
  const options = {
    baseImage: values['base-image'],
    nodeVersion: values['node-version'],
    extraPip: values.pip,
    extraNpm: values.npm,
    user: values.user,
    dockerHost: values['docker-host'],
    onProgress: (line: string): boolean => process.stderr.write(`${line}\n`),
  };
  const dockerfile = await imageDockerfile(options);
  if (values.dockerfile === true) {
    process.stdout.write(dockerfile);
    return;
  }
  process.stderr.write(`${dockerfile}\n`);
  const name = await buildImage({ ...options, tag: values.tag });
  process.stdout.write(`${values.tag ?? name}\n`);
}

interface Values {
  readonly tag?: string | undefined;
  readonly dockerfile?: boolean | undefined;
  readonly 'base-image'?: string | undefined;
  readonly 'node-version'?: string | undefined;
  readonly pip?: readonly string[] | undefined;
  readonly npm?: readonly string[] | undefined;
  readonly user?: string | undefined;
  readonly 'docker-host'?: string | undefined;
}

function parse(args: readonly string[]): Values {
  try {
    return parseArgs({
      args: [...args],
      options: {
        tag: { type: 'string' },
        dockerfile: { type: 'boolean' },
        'base-image': { type: 'string' },
        'node-version': { type: 'string' },
        pip: { type: 'string', multiple: true },
        npm: { type: 'string', multiple: true },
        user: { type: 'string' },
        'docker-host': { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
