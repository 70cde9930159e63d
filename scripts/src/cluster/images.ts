import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CommandFailedError, runCommand } from '../run-command.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { readState } from './cluster-state.ts';
import { PAUSE_IMAGE } from './configs.ts';
import { markedEnvironment, runMarked } from './marked-processes.ts';
import { NotRunningError } from './not-running-error.ts';

/** On an image in the cluster: the engine's id of the image that it was copied from. */
const SOURCE_LABEL = 'agent-workspace.dev/source-id';

/** A command of containerd's client, on the images that a kubelet sees. */
function ctr({ containerdSocket }: ClusterFolder, ...args: readonly string[]): readonly string[] {
  return ['ctr', '--address', containerdSocket, '--namespace', 'k8s.io', ...args];
}

/** An image's full name, by which a container runtime knows `node:24-slim` as `docker.io/library/node:24-slim`. */
export function fullImageName(name: string): string {
  const [first = '', ...rest] = name.split('/');
  const hasRegistry = rest.length > 0 && /[.:]|^localhost$/.test(first);
  const path = hasRegistry ? name : `docker.io/${rest.length > 0 ? '' : 'library/'}${name}`;
  return /[:@]/.test(path.slice(path.lastIndexOf('/'))) ? path : `${path}:latest`;
}

/**
 * Copies an image from the local container engine into the cluster, under its own name.
 * @returns whether there was anything to copy
 * @throws Error if the engine has no such image
 */
export async function loadImage(folder: ClusterFolder, image: string): Promise<boolean> {
  const state = await readState(folder);
  if (state === undefined) throw new NotRunningError();
  const id = await sourceId(image);
  const name = fullImageName(image);
  const { stdout } = await runMarked(folder, ctr(folder, 'images', 'list', `name==${name}`));
  if (stdout.includes(`${SOURCE_LABEL}=${id}`)) return false;
  await copyImage(folder, image);
  await runMarked(folder, ctr(folder, 'images', 'label', name, `${SOURCE_LABEL}=${id}`));
  return true;
}

async function sourceId(image: string): Promise<string> {
  try {
    const argv = ['docker', 'image', 'inspect', '--format', '{{.Id}}', image];
    return (await runCommand(argv, { cwd: '/' })).stdout.trim();
  } catch (error) {
    if (!(error instanceof CommandFailedError)) throw error;
    throw new Error(`The local Docker Engine has no image ${image}, or does not answer:\n${error.message}`, {
      cause: error,
    });
  }
}

async function copyImage(folder: ClusterFolder, image: string): Promise<void> {
  const save = spawn('docker', ['save', image], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [file = '', ...args] = ctr(folder, 'images', 'import', '-');
  const take = spawn(file, args, { env: markedEnvironment(folder), stdio: ['pipe', 'ignore', 'pipe'] });
  // Who has read the end of the archive does not wait for what fills up its last block.
  take.stdin.on('error', () => save.stdout.resume());
  save.stdout.pipe(take.stdin);
  const complaints = [text(take.stderr), text(save.stderr)];
  const [taken, saved] = await Promise.allSettled([once(take, 'exit'), once(save, 'exit')]);
  if (hasExitedWell(taken) && hasExitedWell(saved)) return;
  throw new Error(`The cluster did not take ${image}:\n${(await Promise.all(complaints)).join('').trim()}`);
}

/** Whether a process could be started and has exited with 0. */
function hasExitedWell(exit: PromiseSettledResult<readonly unknown[]>): boolean {
  return exit.status === 'fulfilled' && exit.value[0] === 0;
}

/** Makes the image that each Pod is held together by, with one program in it, and copies it into the cluster. */
export async function loadPauseImage(folder: ClusterFolder, pause: string): Promise<void> {
  const scratch = join(folder.dataDirectory, 'pause-image');
  await mkdir(join(scratch, 'layer'), { recursive: true });
  await copyFile(pause, join(scratch, 'layer', 'pause'));
  await runMarked(folder, ['tar', '--create', '--file', 'layer.tar', '--directory', 'layer', 'pause'], scratch);
  const layer = createHash('sha256')
    .update(await readFile(join(scratch, 'layer.tar')))
    .digest('hex');
  const config = {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Entrypoint: ['/pause'], User: '65535:65535' },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layer}`] },
  };
  await writeFile(join(scratch, 'config.json'), JSON.stringify(config));
  const manifest = [{ Config: 'config.json', RepoTags: [PAUSE_IMAGE], Layers: ['layer.tar'] }];
  await writeFile(join(scratch, 'manifest.json'), JSON.stringify(manifest));
  const files = ['manifest.json', 'config.json', 'layer.tar'];
  await runMarked(folder, ['tar', '--create', '--file', 'image.tar', ...files], scratch);
  await runMarked(folder, ctr(folder, 'images', 'import', 'image.tar'), scratch);
  await rm(scratch, { recursive: true });
}
