import { DockerWorkspace } from '@agent-workspace/docker';
import { buildPrograms } from '../build-programs.ts';
import { SERVER_PACKAGES } from '../seeds.ts';
import type { OpenOptions, Place } from './place.ts';

/** Containers, one after the other, on a directory of this machine. */
export async function dockerPlace(directory: string): Promise<Place> {
  await buildPrograms('gateway');
  return {
    name: `${directory}, in a container`,
    directory,
    left: `The workspace stays in ${directory}`,
    open: ({ seeds, onEvent }: OpenOptions = {}) =>
      DockerWorkspace.open({ workdir: directory, extraNpm: SERVER_PACKAGES, onEvent, ...seeds }),
    [Symbol.asyncDispose]: async () => {},
  };
}
