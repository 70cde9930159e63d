import type { Logger, Scope, Workspace, WorkspaceEvent } from '@agent-workspace/core';
import type { WorkspacePlace } from './content/instructions.ts';

/** What a start of a workspace is given. */
export interface OpenContext {
  /** Aborted when the connection ends before the workspace is there. */
  readonly signal: AbortSignal;
  /** To be given to the workspace as its `onEvent`, so that clients hear how builds and commands go. */
  readonly onEvent: (event: WorkspaceEvent) => void;
}

export interface WorkspaceMcpOptions {
  /** Opens the workspace: at the first call of each connection, once for all who call meanwhile. */
  readonly open: (context: OpenContext) => Promise<Workspace>;
  /** Lets go of it when the connection ends. Default: its `close()`. */
  readonly close?: ((workspace: Workspace) => Promise<void>) | undefined;
  /** Where it will be, for the instructions. Default: not told. */
  readonly place?: WorkspacePlace | undefined;
  /** Whom the tools are for. Default: no agent, and a session of its own for each connection. */
  readonly scope?: Scope | undefined;
  /** Names of the tools to serve, with `*` for any characters: `Read`, `files__*`. Default: all. */
  readonly tools?: readonly string[] | undefined;
  /** Serve only tools that change nothing. Default `false`. */
  readonly isReadOnly?: boolean | undefined;
  /** Serve three tools that lead to all others. Default `false`. */
  readonly isLazy?: boolean | undefined;
  /**
   * Start the workspace as soon as a client is there, instead of at its first call, and let lists
   * wait for it up to 20 s: for clients that list once and follow no changes. Default `false`.
   */
  readonly isEager?: boolean | undefined;
  /** Bytes of text in a result; the rest is kept in the workspace. Default 40,000, and 4,000 at least. */
  readonly maxResultBytes?: number | undefined;
  /** Bytes of images and sound in a result, decoded; the others are kept in the workspace. Default 786,432. */
  readonly maxMediaBytes?: number | undefined;
  /** Told to clients. Default `agent-workspace`. */
  readonly name?: string | undefined;
  /** Told to clients. Default: of this package. */
  readonly version?: string | undefined;
  readonly logger?: Logger | undefined;
}

/** What the narrowest of the known clients takes for one result. */
export const DEFAULT_MAX_RESULT_BYTES = 40_000;
/** A preview and what is said about the rest. */
export const MIN_RESULT_BYTES = 4_000;
/** 1 MiB in base64, which clients take for one result. */
export const DEFAULT_MAX_MEDIA_BYTES: number = 768 * 1024;
