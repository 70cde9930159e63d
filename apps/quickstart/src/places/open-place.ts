import type { Place } from './place.ts';

export type BackendName = 'local' | 'docker' | 'e2b';

/**
 * The only place that knows one backend from another. Each is loaded when it is asked for, so that
 * nobody waits for the client of an engine that is not used.
 */
const PLACES: Readonly<Record<BackendName, (directory: string) => Promise<Place>>> = {
  local: async (directory) => (await import('./local-place.ts')).localPlace(directory),
  docker: async (directory) => (await import('./docker-place.ts')).dockerPlace(directory),
  e2b: async () => (await import('./e2b-place.ts')).e2bPlace(),
};

export const BACKENDS: readonly BackendName[] = Object.keys(PLACES) as BackendName[];

/** @param directory of this host, where the files are to be if they are here */
export async function openPlace(backend: BackendName, directory: string): Promise<Place> {
  return await PLACES[backend](directory);
}
