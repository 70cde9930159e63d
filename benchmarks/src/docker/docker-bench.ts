import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildImage } from '@agent-workspace/docker';
import Docker from 'dockerode';
import { interruption } from '../interruption.ts';

const GATEWAY = join(import.meta.dirname, '..', '..', '..', 'packages', 'gateway-server');

/** Of every container that a run makes, ours and the others', so that they are found at its end. */
export const MANAGER_ID: string = `bench-${randomUUID()}`;
export const LABELS: Readonly<Record<string, string>> = { 'agent-workspace.manager-id': MANAGER_ID };

/** By then the engine has done what it does after it has answered an exec or sent an archive. */
export const ENGINE_SETTLE_MS = 100;

/** Dockerode as it finds the engine by itself, by `DOCKER_HOST` or at the usual socket. */
export const docker: Docker = new Docker();

let image: Promise<string> | undefined;

/** Why there can be no container, if there can be none. */
export async function missingDocker(): Promise<string | undefined> {
  try {
    await docker.ping();
    return undefined;
  } catch (error) {
    return `no Docker Engine answers: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function buildWorkspaceImage(): Promise<string> {
  const tsdown = createRequire(join(GATEWAY, 'package.json')).resolve('tsdown/package.json');
  await promisify(execFile)(process.execPath, [join(dirname(tsdown), 'dist/run.mjs'), '--no-clean'], { cwd: GATEWAY });
  return await buildImage({ signal: interruption });
}

/** The image that everybody's containers are made from: a workspace's, with the gateway as its sources are now. */
export async function workspaceImage(): Promise<string> {
  image ??= buildWorkspaceImage();
  return await image;
}

/** Removes every container of this run that is left. */
export async function removeContainers(): Promise<void> {
  if (image === undefined) return;
  const label = Object.entries(LABELS).map(([key, value]) => `${key}=${value}`);
  for (const { Id } of await docker.listContainers({ all: true, filters: { label } })) {
    await docker.getContainer(Id).remove({ force: true, v: true });
  }
}
