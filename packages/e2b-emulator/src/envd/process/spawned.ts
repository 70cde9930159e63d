import type { Readable } from 'node:stream';
import type { ProcessExit } from './exit-status.ts';
import type { TerminalSize } from './requests.ts';

export type OutputName = 'stdout' | 'stderr' | 'pty';

export interface SpawnedOutput {
  readonly name: OutputName;
  readonly stream: Readable;
  /** The most that one message carries. */
  readonly maxChunkBytes: number;
}

/** A process that has started, by whatever means. */
export interface Spawned {
  readonly pid: number;
  readonly outputs: readonly SpawnedOutput[];
  readonly exited: Promise<ProcessExit>;
  readonly input: SpawnedInput;
  /** How long after the exit more output is waited for. `undefined`: until the streams are closed. */
  readonly drainMs?: number | undefined;
  /** Closes this side of all streams. */
  release(): void;
}

export type SpawnedInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'stdin'; write(bytes: Buffer): Promise<void>; close(): Promise<void> }
  | { readonly kind: 'pty'; write(bytes: Buffer): Promise<void>; resize(size: TerminalSize): void };

/** What a process is started with. */
export interface SpawnOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Only where no program could be found that changes the user. */
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}
