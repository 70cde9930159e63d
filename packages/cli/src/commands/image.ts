import { EXIT } from '../io.ts';
import { needPackage } from '../machine/engine-package.ts';
import { parseOptions, type OptionTable } from '../options/option-table.ts';
import { Progress } from '../output/progress.ts';
import type { Command } from './command.ts';
import { IMAGE_OPTIONS } from './mcp-options.ts';

const OPTIONS = {
  tag: { type: 'string', value: 'NAME', help: 'another name for the image, such as one in a registry' },
  dockerfile: { type: 'boolean', help: 'print the Dockerfile, and build nothing' },
  ...IMAGE_OPTIONS,
} as const satisfies OptionTable;

/** Builds the image that `mcp --backend docker` runs in, ahead of its first use. */
export const imageCommand: Command = {
  name: 'image',
  summary: 'build the Docker image ahead of its first use',
  usage: '[option]…',
  description: `Builds the image that a workspace with the same options runs in, unless it is there, and prints its name.`,
  options: OPTIONS,
  run: async (argv, io) => {
    const { values } = parseOptions(OPTIONS, argv);
    needPackage('docker');
    const { buildImage, imageDockerfile } = await import('@agent-workspace/docker');
    using progress = new Progress(io);
    const options = {
      baseImage: values['base-image'],
      nodeVersion: values['node-version'],
      extraPip: values.pip,
      extraNpm: values.npm,
      user: values.user,
      dockerHost: values['docker-host'],
      signal: io.signal,
      onProgress: progress.step,
    };
    if (values.dockerfile === true) {
      io.print((await imageDockerfile(options)).trimEnd());
      return EXIT.fine;
    }
    const { tag } = values;
    const name = await buildImage({ ...options, tag });
    io.print(tag ?? name);
    return EXIT.fine;
  },
};
