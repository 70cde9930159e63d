import type { SpawnOptions } from './process.ts';

/** How a background command ended, or that it has not. */
export type BackgroundState =
  | { readonly kind: 'running' }
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  | { readonly kind: 'timed-out' }
  /** Ended by the workspace's `close()`. */
  | { readonly kind: 'closed' }
  /** Its runner is gone and left no status: killed with it, or the machine went down. */
  | { readonly kind: 'lost' };

export interface StartBackgroundOptions extends Omit<SpawnOptions, 'signal'> {
  /**
   * Directory for `{n}.log`, `{n}.status` and `{n}.json`.
   * Default: `.workspace/processes` in the workdir.
   */
  readonly recordDirectory?: string | undefined;
  /** What is shown in lists. Default: the command line. */
  readonly label?: string | undefined;
}

export interface ListBackgroundOptions {
  /** Record directories to look into. Default: `.workspace/processes` in the workdir. */
  readonly recordDirectories?: readonly string[] | undefined;
}

export interface EndProcessesOptions {
  /** Background commands that count as the caller's, whoever started them. */
  readonly background?: readonly BackgroundProcess[] | undefined;
}

/** A background command on record. */
export interface BackgroundProcess {
  /** Number within its record directory, from 1. */
  readonly number: number;
  readonly label: string;
  readonly pid: number;
  /** For `kill -- -PGID`. */
  readonly processGroup: number;
  /** ISO 8601 with zone. */
  readonly startedAt: string;
  /** The `LockOwner.id` of the process that started it, where that is known. */
  readonly owner?: string | undefined;
  /** Absolute path of the file with stdout and stderr as they came. */
  readonly logPath: string;
  /** Absolute path of the file with the exit status once there is one. */
  readonly statusPath: string;
  state(): Promise<BackgroundState>;
  /** Ends the whole tree: SIGTERM, two seconds, SIGKILL. A command that has ended is left alone. */
  stop(options?: { readonly reason?: 'closed' | undefined }): Promise<BackgroundState>;
  /** Waits for the end. @throws what the signal was aborted with */
  wait(options?: { readonly signal?: AbortSignal | undefined }): Promise<BackgroundState>;
}
