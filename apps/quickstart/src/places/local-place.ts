import { LocalWorkspace } from '@agent-workspace/local';
import type { OpenOptions, Place } from './place.ts';

/** A directory of this machine. */
export function localPlace(directory: string): Place {
  return {
    name: directory,
    directory,
    left: `The workspace stays in ${directory}`,
    open: ({ seeds, onEvent }: OpenOptions = {}) => LocalWorkspace.open({ workdir: directory, onEvent, ...seeds }),
    [Symbol.asyncDispose]: async () => {},
  };
}
