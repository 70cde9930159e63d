import type { Backend, BackgroundProcess } from '@agent-workspace/core';
import type { WireSchema } from '../wire-schema.ts';

/** Names a background command on record. */
export interface BackgroundReference {
  /** Absolute path of the directory that has its files. */
  readonly recordDirectory: string;
  readonly number: number;
}

/** What an operation works on: one attachment's view of a gateway. */
export interface OperationHost {
  readonly backend: Backend;
  /**
   * Keeps a handle, since it knows more than the files that an agent can change.
   *
   * @returns the attachment that started it, if that is known
   */
  rememberBackground(process: BackgroundProcess, options?: { readonly isStarted?: boolean }): string | undefined;
  /** The handle that is kept, else the one on record. */
  findBackground(reference: BackgroundReference): Promise<BackgroundProcess | undefined>;
  /** Ends what this attachment started, and background commands too, these among them, if nobody else is attached. */
  endProcesses(background: readonly BackgroundReference[]): Promise<void>;
}

/** A request with a JSON body that is answered by a JSON body. */
export interface Operation<Input, Output> {
  /** Of the `POST`. */
  readonly route: `/${string}`;
  readonly input: WireSchema<Input>;
  readonly output: WireSchema<Output>;
  /** Does it, in the gateway. */
  readonly run: (host: OperationHost, input: Input, signal: AbortSignal) => Promise<Output>;
}
