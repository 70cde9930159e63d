import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import type { DockerEngine } from '../engine/docker-engine.ts';
import type { ContainerUser } from './container-user.ts';

export interface PutFileOptions {
  /** In the container, absolute. Directories on the way are made. */
  readonly path: string;
  /** On this host. */
  readonly source: string;
  /** Permission bits. */
  readonly mode: number;
  readonly owner: ContainerUser;
}

/** Copies a file of this host into a container. */
export async function putFile(
  engine: DockerEngine,
  containerId: string,
  { path, source, mode, owner }: PutFileOptions,
): Promise<void> {
  const archive = pack();
  archive.entry({ name: posix.relative('/', path), mode, ...owner }, await readFile(source));
  archive.finalize();
  await engine.containers.putArchive(containerId, '/', archive as unknown as Readable);
}
