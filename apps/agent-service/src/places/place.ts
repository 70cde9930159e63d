import type { Logger, WorkspaceManager } from '@agent-workspace/core';
import type {
  Isolation,
  ManagedWorkspaceEventListener,
  ManagerEventListener,
  ManagerStorage,
} from '@agent-workspace/manager';
import type { ClusterOptions } from '../options.ts';

/** What every manager of the service is opened with. */
export interface PlaceOptions {
  /** Where the directories of workspaces are, on backends that have them on this machine. */
  readonly basedir: string;
  /** What a sandbox may reach and use, on backends that have some. */
  readonly sandbox: { readonly network: string; readonly memoryBytes: number };
  /** On the backend that has one. */
  readonly cluster: ClusterOptions;
  readonly isolation: Isolation;
  readonly ttlMs: number;
  readonly sweepIntervalMs: number;
  readonly drainTimeoutMs: number;
  readonly storage: ManagerStorage;
  readonly logger: Logger;
  readonly onEvent: ManagerEventListener;
  readonly onWorkspaceEvent: ManagedWorkspaceEventListener;
}

/** Opens a manager on one backend. */
export type OpenManager = (options: PlaceOptions) => Promise<WorkspaceManager>;
