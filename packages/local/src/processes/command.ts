import { type Logger, type ProcessEnd, type ProcessSignal, ProcessTree } from '@agent-workspace/core';
import { type CommandStreams, type StartedCommand, startWithStreams, type StreamsOptions } from './command-streams.ts';
import type { CommandPlace } from './start-failure.ts';

/** `setTimeout` takes no more (24.8 days); past it, it would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

export interface CommandOptions extends CommandPlace, StreamsOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly logger: Logger;
}

/**
 * A command in a session and process group of its own, with a limit on its life.
 *
 * The first cause of its end is the one that is told: what a command answers to a SIGTERM that a
 * time-out sent does not turn the time-out into an exit.
 */
export class Command {
  readonly streams: CommandStreams;
  /** Also its process group and session. */
  readonly pid: number;
  /** Settles when the leader has exited. */
  readonly exited: Promise<ProcessEnd>;
  readonly #tree: ProcessTree;
  #hasExited = false;
  #cause: ProcessEnd | undefined;
  #ending: Promise<void> | undefined;
  readonly #settle: (end: ProcessEnd) => void;

  /** @throws `exec-failed` */
  static async start(options: CommandOptions): Promise<Command> {
    return new Command(await startWithStreams(options), options);
  }

  private constructor({ child, pid, streams }: StartedCommand, { signal, timeoutMs, logger }: CommandOptions) {
    this.streams = streams;
    this.pid = pid;
    this.#tree = new ProcessTree({ group: pid, isLeader: () => !this.#hasExited, logger });
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.exited = promise;
    this.#settle = resolve;

    const onAbort = (): void => void this.terminate({ kind: 'aborted' });
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => void this.terminate({ kind: 'timed-out', timeoutMs }), Math.min(timeoutMs, MAX_TIMER_MS));
    child.once('exit', (exitCode, exitSignal) => {
      signal?.removeEventListener('abort', onAbort);
      clearTimeout(timer);
      streams.stdin?.destroy();
      this.#hasExited = true;
      this.#cause ??= exitCode === null ? { kind: 'signaled', signal: exitSignal ?? '' } : { kind: 'exited', exitCode };
      resolve(this.#cause);
    });
    child.on('error', (error) => logger.debug(`Process ${pid} reported an error.`, { error }));
    if (signal?.aborted === true) onAbort();
  }

  /** Settles when the leader has exited and, if it was made to, its whole tree has ended. */
  async ended(): Promise<ProcessEnd> {
    const end = await this.exited;
    await this.#ending;
    return end;
  }

  /** Whether nothing is left of it: no process in its group, and nobody at the other end of its pipes. */
  get isGone(): boolean {
    const { stdout, stderr } = this.streams;
    if (!this.#hasExited || stdout?.closed === false || stderr?.closed === false) return false;
    try {
      process.kill(-this.pid, 0);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH';
    }
  }

  /**
   * Ends the whole tree, also what an exited leader left behind: SIGTERM, two seconds, SIGKILL.
   * `cause` is told as its end unless it has one.
   */
  terminate(cause: ProcessEnd): Promise<void> {
    this.#ending ??= this.#end(cause);
    return this.#ending;
  }

  /** Sends a signal to the whole tree. */
  signal(signal: ProcessSignal): Promise<void> {
    return this.#tree.signal(signal);
  }

  /** Closes this end of the pipes. */
  closePipes(): void {
    const { stdin, stdout, stderr } = this.streams;
    for (const pipe of [stdin, stdout, stderr]) pipe?.destroy();
  }

  async #end(cause: ProcessEnd): Promise<void> {
    this.#cause ??= cause;
    const isGone = await this.#tree.end();
    // Where even SIGKILL does not help, the caller is not kept waiting for the exit.
    if (!isGone) this.#settle(this.#cause);
  }
}
