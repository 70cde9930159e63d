import type { Workspace, WorkspaceEventListener } from '@agent-workspace/core';
import type { Seeds } from '../seeds.ts';

export interface OpenOptions {
  /** What a brand-new workspace begins with. Default: nothing. */
  readonly seeds?: Seeds | undefined;
  readonly onEvent?: WorkspaceEventListener | undefined;
}

/** How the cluster is reached, and what runs there. */
export interface ClusterOptions {
  /** An absolute path. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
  readonly image?: string | undefined;
}

export interface PlaceOptions {
  /** Of this host, where the files are to be if they are here. */
  readonly directory: string;
  /** On the backend that has one. */
  readonly cluster?: ClusterOptions | undefined;
}

/** Where the agent works: every `open()` of it finds the same files. */
export interface Place extends AsyncDisposable {
  /** For a sentence that begins with "A workspace in". */
  readonly name: string;
  /** Of this host, if the files are there. */
  readonly directory?: string | undefined;
  /** What is left when the demo is over. */
  readonly left: string;
  open(options?: OpenOptions): Promise<Workspace>;
}

/** What the workspace would stand on is not to be had here. The message says what to do. */
export class PlaceUnavailableError extends Error {
  override readonly name = 'PlaceUnavailableError';
}
