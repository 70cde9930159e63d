import { DockerOptionsInvalidError, DockerRequestFailedError, WorkdirNotSharedError } from '@agent-workspace/core';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { type ContainerSpec, createRequest, createRequestWithoutSocket } from './container-spec.ts';

/** The engine's words. One in a virtual machine may have put something in front of the path. */
const UNSEEN = /bind source path does not exist: (.+)$/;

/**
 * Creates the container of a workspace, without the directory for the socket where the engine does not see that one.
 * It takes no signal: what is given up in the middle may yet be made, and nobody would know of it.
 *
 * @returns its id
 * @throws `workdir-not-shared`, `docker-options-invalid`, `docker-request-failed`
 */
export async function createContainer(engine: DockerEngine, spec: ContainerSpec, name: string): Promise<string> {
  const { storage, socketDirectory, needsSocket = false } = spec;
  try {
    return await engine.containers.create(name, createRequest(spec));
  } catch (error) {
    const unseen = unseenPath(error);
    if (unseen === undefined) throw error;
    if (storage.kind === 'directory' && (socketDirectory === undefined || unseen.endsWith(storage.path))) {
      throw new WorkdirNotSharedError({ workdir: storage.path, endpoint: engine.address }, { cause: error });
    }
    if (socketDirectory === undefined || !unseen.endsWith(socketDirectory)) throw error;
    if (needsSocket) throw socketNotShared(engine, socketDirectory, error);
  }
  return engine.containers.create(name, createRequestWithoutSocket(spec));
}

function unseenPath(error: unknown): string | undefined {
  if (!DockerRequestFailedError.isInstance(error)) return undefined;
  return UNSEEN.exec(error.details.reason.trim())?.[1];
}

function socketNotShared(engine: DockerEngine, directory: string, cause: unknown): DockerOptionsInvalidError {
  const reason = `the engine at ${engine.address} does not see the directory ${directory} of this machine, which is for the socket; leave the option out, or let TMPDIR name a directory that both see.`;
  return new DockerOptionsInvalidError({ option: 'transport', reason }, { cause });
}
