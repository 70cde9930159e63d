/** Names of POSIX signals that a backend can send. */
export type ProcessSignal = 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT' | 'SIGUSR1' | 'SIGUSR2';

export interface SpawnOptions {
  /** Default: the workdir. */
  readonly cwd?: string | undefined;
  /** Added to the small base environment; nothing else of the host's reaches the command. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Abort ends the whole process tree: SIGTERM, two seconds, SIGKILL. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the whole process tree is ended. No limit by default. */
  readonly timeoutMs?: number | undefined;
}

export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

export interface ExecOptions extends SpawnOptions {
  /** Written to stdin, which is then closed. Without it stdin is closed from the start. */
  readonly stdin?: Uint8Array | string | undefined;
  /** Bytes of each stream to keep, half of it from the head and half from the tail. Default 1 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /**
   * Called with all output as it comes, beyond the cap too. While a promise that it returned is
   * pending, that stream of a running command may not be read from, so that a slow listener is
   * not flooded.
   */
  readonly onOutput?: ((chunk: OutputChunk) => void | Promise<void>) | undefined;
}

/** How a command ended. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  | { readonly kind: 'timed-out'; readonly timeoutMs: number }
  | { readonly kind: 'aborted' };

/** What is kept of a stream. */
export interface CapturedOutput {
  /** The whole stream, or its head if something was dropped. */
  readonly head: Uint8Array;
  /** The end of the stream; empty if nothing was dropped. */
  readonly tail: Uint8Array;
  /** Bytes dropped between head and tail. */
  readonly droppedBytes: number;
  /** Bytes that the command wrote. */
  readonly totalBytes: number;
}

export interface ExecResult {
  readonly end: ProcessEnd;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly durationMs: number;
}

/** A running command with its streams. */
export interface BackendProcess extends AsyncDisposable {
  readonly pid: number;
  /** The leader's process group, for `kill -- -PGID`. */
  readonly processGroup: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Settles when the leader has exited, whoever holds the pipes. */
  readonly end: Promise<ProcessEnd>;
  /** Sends a signal to the whole tree. */
  kill(signal?: ProcessSignal): Promise<void>;
}
