#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { buildImage } from '../index.ts';

const USAGE = `Usage: agent-workspace-build-image [option]…

Builds the image that a DockerWorkspace with the same options runs in, unless it is there, and prints
its name. What the build does goes to stderr.

  --base-image NAME     default python:3.12-slim
  --node-version N      of node:N-slim, for a base without Node 20 or later; default 24
  --pip PACKAGE         a Python package; may be given several times
  --npm PACKAGE         an npm package; may be given several times
  --user UID[:GID]      whom the container runs as; default this user, and 1000 for root
  --docker-host URL     where the engine is; default where the docker command finds it
`;

const { values } = parseArgs({
  options: {
    'base-image': { type: 'string' },
    'node-version': { type: 'string' },
    pip: { type: 'string', multiple: true },
    npm: { type: 'string', multiple: true },
    user: { type: 'string' },
    'docker-host': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) {
  process.stdout.write(USAGE);
} else {
  try {
    const tag = await buildImage({
      baseImage: values['base-image'],
      nodeVersion: values['node-version'],
      extraPip: values.pip,
      extraNpm: values.npm,
      user: values.user,
      dockerHost: values['docker-host'],
      onProgress: (line) => process.stderr.write(`${line}\n`),
    });
    process.stdout.write(`${tag}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
