import type { Place, PlaceOptions } from './place.ts';

export type BackendName = 'local' | 'docker' | 'e2b' | 'kubernetes';

/**
 * The only place that knows one backend from another. Each is loaded when it is asked for, so that
 * nobody waits for the client of an engine that is not used.
 */
const PLACES: Readonly<Record<BackendName, (options: PlaceOptions) => Promise<Place>>> = {
  local: async ({ directory }) => (await import('./local-place.ts')).localPlace(directory),
  docker: async ({ directory }) => (await import('./docker-place.ts')).dockerPlace(directory),
  e2b: async () => (await import('./e2b-place.ts')).e2bPlace(),
  kubernetes: async (options) => (await import('./kubernetes-place.ts')).kubernetesPlace(options),
};

export const BACKENDS: readonly BackendName[] = Object.keys(PLACES) as BackendName[];

export async function openPlace(backend: BackendName, options: PlaceOptions): Promise<Place> {
  return await PLACES[backend](options);
}
