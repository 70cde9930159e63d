import { takeBackHostDirectory } from '@agent-workspace/core';
import type { DockerContainerOptions } from '../docker-options.ts';
import type { DockerEngine } from '../engine/docker-engine.ts';
import type { ContainerStorage } from './container-spec.ts';
import { type ContainerUser, parseUser } from './container-user.ts';
import { hostUser, prepareWorkdir } from './prepare-workdir.ts';

export interface PreparedStorage {
  readonly storage: ContainerStorage;
  readonly user: ContainerUser;
  /** A directory or a volume that was not there. */
  readonly isNew: boolean;
  /** Takes back what was made for it; a directory that has something in it only `withContent`. */
  readonly takeBack: (options: { readonly withContent: boolean }) => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

/**
 * Settles where the files of a workspace are, and who works on them. A directory is made if it is not there; a volume
 * is made with the container.
 *
 * @throws `docker-options-invalid`, `workdir-invalid`, `workdir-not-writable`
 */
export async function prepareStorage(
  engine: DockerEngine,
  options: Pick<DockerContainerOptions, 'workdir' | 'volume' | 'user'>,
  signal: AbortSignal,
): Promise<PreparedStorage> {
  const { workdir, volume } = options;
  const asked = options.user === undefined ? undefined : parseUser(options.user);
  if (workdir !== undefined) {
    const { path, user, made } = await prepareWorkdir(workdir, asked);
    const storage: ContainerStorage = { kind: 'directory', path };
    return { storage, user, isNew: made.isNew, takeBack: (how) => takeBackHostDirectory(made, how) };
  }
  const user = asked ?? hostUser();
  if (volume === undefined) return { storage: { kind: 'container' }, user, isNew: false, takeBack: nothing };
  const isNew = !(await engine.hasVolume(volume, { signal }));
  const takeBack = isNew ? () => engine.removeVolume(volume) : nothing;
  return { storage: { kind: 'volume', name: volume }, user, isNew, takeBack };
}
