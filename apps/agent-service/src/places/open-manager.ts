import type { OpenManager } from './place.ts';

export type BackendName = 'local' | 'docker' | 'e2b' | 'kubernetes';

/** What a backend is to tenants. */
export interface BackendTraits {
  /** Agents' commands and MCP servers run apart from this machine, so that tenants may have them. */
  readonly isSandboxed: boolean;
}

/**
 * The only place that knows one backend from another: each is an entry here, and a file beside. It is
 * loaded when it is asked for, so that nobody waits for the client of an engine that is not used.
 */
const PLACES: Readonly<Record<BackendName, BackendTraits & { readonly load: () => Promise<OpenManager> }>> = {
  local: { isSandboxed: false, load: async () => (await import('./local-place.ts')).openLocal },
  docker: { isSandboxed: true, load: async () => (await import('./docker-place.ts')).openDocker },
  e2b: { isSandboxed: true, load: async () => (await import('./e2b-place.ts')).openE2B },
  kubernetes: { isSandboxed: true, load: async () => (await import('./kubernetes-place.ts')).openKubernetes },
};

export const BACKENDS: readonly BackendName[] = Object.keys(PLACES) as BackendName[];

export function traitsOf(backend: BackendName): BackendTraits {
  return PLACES[backend];
}

export async function loadPlace(backend: BackendName): Promise<OpenManager> {
  return await PLACES[backend].load();
}
