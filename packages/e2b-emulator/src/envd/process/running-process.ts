import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterMs } from '../after-ms.ts';
import { type EndEvent, toEndEvent } from './exit-status.ts';
import { OutputHub } from './output-hub.ts';
import type { Spawned, SpawnedInput, SpawnedOutput } from './spawned.ts';
import type { ProcessConfig } from './requests.ts';

/** A message of `Start` and `Connect`. */
export interface ProcessEvent {
  readonly event: object;
}

export type EndingSignal = 'SIGKILL' | 'SIGTERM';

export interface RunningProcessOptions {
  readonly spawned: Spawned;
  readonly config: ProcessConfig;
  readonly tag: string | undefined;
  /** Of the process's life. `undefined`: no limit. */
  readonly timeoutMs: number | undefined;
}

function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', resolve);
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function kill(pid: number, signal: EndingSignal): void {
  try {
    process.kill(pid, constants.signals[signal]);
  } catch (error) {
    // It has just ended by itself.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** A process from its start until its `end` event. */
export class RunningProcess {
  readonly config: ProcessConfig;
  readonly tag: string | undefined;
  readonly pid: number;
  /** Resolves when there is no more to come. */
  readonly ended: Promise<EndEvent>;
  readonly #spawned: Spawned;
  readonly #hub = new OutputHub<ProcessEvent>();
  readonly #cut = new AbortController();
  #readCount = 0;
  #hasExited = false;

  constructor({ spawned, config, tag, timeoutMs }: RunningProcessOptions) {
    this.config = config;
    this.tag = tag;
    this.pid = spawned.pid;
    this.#spawned = spawned;
    for (const output of spawned.outputs) this.#read(output);
    const life = timeoutMs === undefined ? undefined : afterMs(timeoutMs, () => this.#endOfLife());
    this.ended = this.#end().finally(() => life?.[Symbol.dispose]());
  }

  get input(): SpawnedInput {
    return this.#spawned.input;
  }

  /** Output from now on, and the `end` event. */
  listen(signal: AbortSignal): AsyncIterable<ProcessEvent> {
    return this.#hub.listen(signal);
  }

  /**
   * Signals this process alone, not what it has started. From then on its exit is its end: who else holds
   * its output is not waited for.
   */
  signal(signal: EndingSignal): void {
    if (!this.#hasExited) kill(this.pid, signal);
    this.#cut.abort();
  }

  #endOfLife(): void {
    try {
      this.signal('SIGKILL');
    } catch (error) {
      process.stderr.write(`envd: process ${this.pid} is over its time and cannot be ended: ${String(error)}\n`);
    }
  }

  #read({ name, stream, maxChunkBytes }: SpawnedOutput): void {
    stream.on('data', (bytes: Buffer) => {
      this.#readCount += 1;
      let wait: Promise<void> | undefined;
      for (let start = 0; start < bytes.length; start += maxChunkBytes) {
        const data = { [name]: bytes.toString('base64', start, Math.min(bytes.length, start + maxChunkBytes)) };
        wait = this.#hub.publish({ event: { data } });
      }
      if (wait === undefined) return;
      // A full pipe makes the process wait.
      stream.pause();
      void wait.then(() => stream.resume());
    });
    // A broken stream ends like any other.
    stream.on('error', () => undefined);
  }

  async #end(): Promise<EndEvent> {
    const { outputs, exited, drainMs } = this.#spawned;
    const outputClosed = Promise.all(outputs.map(({ stream }) => closed(stream)));
    void exited.then(() => {
      this.#hasExited = true;
    });
    if (drainMs !== undefined) {
      void exited.then(() => {
        const drain = afterMs(drainMs, () => this.#cut.abort());
        void outputClosed.then(() => drain[Symbol.dispose]());
      });
    }
    await Promise.race([outputClosed, aborted(this.#cut.signal)]);
    const end = toEndEvent(await exited);
    await this.#drain();
    this.#spawned.release();
    void this.#hub.publish({ event: { end } });
    this.#hub.close();
    return end;
  }

  /** Reads what is in the pipes already, as long as it comes without waiting. */
  async #drain(): Promise<void> {
    for (let before = -1; before !== this.#readCount;) {
      before = this.#readCount;
      await nextTurn();
      await nextTurn();
    }
  }
}
