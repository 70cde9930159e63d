#!/usr/bin/env node
import { WorkspaceError } from '@agent-workspace/core';
import { runBuildImage } from './build-image.ts';
import { UsageError } from './usage-error.ts';

const USAGE = `Usage: agent-workspace-docker build-image [option]…

Builds the image that a DockerWorkspace with the same options runs in, unless it is there. Prints the
image's name on stdout; its Dockerfile, and what the build does, on stderr.

  --tag NAME            another name for the image, such as one in a registry; printed in place of its own
  --dockerfile          print the Dockerfile on stdout, and build nothing
  --base-image NAME     default python:3.12-slim
  --node-version N      of node:N-slim, for a base without Node 20 or later; default 24
  --pip PACKAGE         a Python package; may be given several times
  --npm PACKAGE         an npm package; may be given several times
  --user UID[:GID]      whom the container runs as; default this user, and 1000 for root
  --docker-host URL     where the engine is; default where the docker command finds it
`;

const FAILED = 1;
const WRONG_USAGE = 2;

const [command, ...args] = process.argv.slice(2);
try {
  if (command === '--help' || command === '-h' || args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE);
  } else if (command === 'build-image') {
    await runBuildImage(args);
  } else {
    throw new UsageError(command === undefined ? 'Name a command.' : `There is no command ${JSON.stringify(command)}.`);
  }
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    process.exitCode = WRONG_USAGE;
  } else if (WorkspaceError.isInstance(error)) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = FAILED;
  } else {
    throw error;
  }
}
