import type { Workspace, WorkspaceEventListener } from '@agent-workspace/core';
import { buildGateway } from './build-gateway.ts';
import { SERVER_PACKAGES, type Seeds } from './seeds.ts';

export type BackendName = 'local' | 'docker';

export interface OpenWorkspaceOptions {
  readonly backend: BackendName;
  /** Of this host: where the files are. */
  readonly directory: string;
  /** What a brand-new workspace begins with. Default: nothing. */
  readonly seeds?: Seeds | undefined;
  readonly onEvent?: WorkspaceEventListener | undefined;
}

type Opener = (options: Omit<OpenWorkspaceOptions, 'backend'>) => Promise<Workspace>;

/**
 * The only place that knows one backend from another. Each is loaded when it is asked for, so that
 * nobody waits for the client of an engine that is not used.
 */
const OPENERS: Readonly<Record<BackendName, Opener>> = {
  local: async ({ directory, seeds, onEvent }) => {
    const { LocalWorkspace } = await import('@agent-workspace/local');
    return await LocalWorkspace.open({ workdir: directory, onEvent, ...seeds });
  },
  docker: async ({ directory, seeds, onEvent }) => {
    await buildGateway();
    const { DockerWorkspace } = await import('@agent-workspace/docker');
    return await DockerWorkspace.open({ workdir: directory, extraNpm: SERVER_PACKAGES, onEvent, ...seeds });
  },
};

export const BACKENDS: readonly BackendName[] = Object.keys(OPENERS) as BackendName[];

export async function openWorkspace({ backend, ...options }: OpenWorkspaceOptions): Promise<Workspace> {
  return await OPENERS[backend](options);
}
