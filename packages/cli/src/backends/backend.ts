import type { Logger, Workspace, WorkspaceOptions } from '@agent-workspace/core';
import type { OpenContext, WorkspacePlace } from '@agent-workspace/mcp-server';
import type { ClusterValues } from './cluster-options.ts';

export const BACKENDS = ['local', 'docker', 'e2b', 'kubernetes'] as const;

export type BackendName = (typeof BACKENDS)[number];

/** What the command line says of the workspace, whatever the engine. */
export interface BackendOptions {
  /** As given; what it means is the engine's. */
  readonly workdir: string | undefined;
  /** What a relative path is taken from. */
  readonly directory: string;
  readonly workspaceId: string | undefined;
  /** Environment variables that every command gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: Pick<WorkspaceOptions, 'defaultMcps' | 'skillPaths' | 'secrets'>;
  readonly logger: Logger;
  readonly docker: {
    readonly dockerHost: string | undefined;
    readonly baseImage: string | undefined;
    readonly nodeVersion: string | undefined;
    readonly extraPip: readonly string[] | undefined;
    readonly extraNpm: readonly string[] | undefined;
    readonly user: string | undefined;
    readonly network: string | undefined;
  };
  readonly e2b: { readonly template: string | undefined };
  readonly kubernetes: ClusterValues & {
    readonly image: string | undefined;
    readonly storageSize: string | undefined;
    readonly storageClassName: string | undefined;
    readonly runtimeClassName: string | undefined;
  };
}

/** How workspaces of an engine are opened. */
export interface WorkspaceBackend {
  readonly place: WorkspacePlace;
  readonly open: (context: OpenContext) => Promise<Workspace>;
}

/** Each engine's client is loaded when it is needed, and no other. */
export async function loadBackend(name: BackendName, options: BackendOptions): Promise<WorkspaceBackend> {
  switch (name) {
    case 'local':
      return (await import('./local.ts')).localBackend(options);
    case 'docker':
      return (await import('./docker.ts')).dockerBackend(options);
    case 'e2b':
      return (await import('./e2b.ts')).e2bBackend(options);
    case 'kubernetes':
      return (await import('./kubernetes.ts')).kubernetesBackend(options);
  }
}
