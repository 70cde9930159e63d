import { resolve } from 'node:path';
import {
  type BackendProcess,
  type BackgroundProcess,
  baseEnvironment,
  type EndProcessesOptions,
  ExecFailedError,
  type ExecOptions,
  type ExecResult,
  type ListBackgroundOptions,
  type LockOwner,
  type Logger,
  OperationAbortedError,
  silentLogger,
  type SpawnOptions,
  type StartBackgroundOptions,
} from '@agent-workspace/core';
import { listBackground } from './background/list-background.ts';
import { startBackground } from './background/start-background.ts';
import { Command } from './command.ts';
import { localLockOwner } from './lock-owner.ts';
import { PipePool } from './pipe-pool.ts';
import { resultWithoutStart, runCommand } from './run-command.ts';
import { SpawnedProcess } from './spawned-process.ts';
import type { CommandPlace } from './start-failure.ts';

const RECORD_DIRECTORY = '.workspace/processes';

export interface LocalProcessesOptions {
  /** Absolute path; where commands run unless they say otherwise. */
  readonly workdir: string;
  /** Added to the environment of every command. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Silent by default. */
  readonly logger?: Logger | undefined;
  /** The streams of commands. Closed with these processes. */
  readonly pipes?: PipePool | undefined;
}

/** Keeps a promise in a set for as long as it is pending. */
function track<T>(pending: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  pending.add(promise);
  const forget = (): void => void pending.delete(promise);
  promise.then(forget, forget);
  return promise;
}

/**
 * The processes of a backend on this machine.
 *
 * Out of reach of `endProcesses` is only what a command that ended by itself had started in a
 * session of its own (`setsid`): no system tells where such a process came from.
 */
export class LocalProcesses {
  readonly #workdir: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #logger: Logger;
  readonly #pipes: PipePool;
  /** Those that run, and those that left something behind. */
  readonly #commands = new Set<Command>();
  readonly #background = new Set<BackgroundProcess>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #running = new Set<Promise<unknown>>();
  #lockOwner: LockOwner | undefined | null = null;
  #isClosed = false;

  constructor({ workdir, env = {}, logger = silentLogger, pipes }: LocalProcessesOptions) {
    this.#workdir = workdir;
    this.#env = env;
    this.#logger = logger;
    this.#pipes = pipes ?? new PipePool({ logger });
  }

  /** @see Backend.lockOwner */
  get lockOwner(): LockOwner | undefined {
    if (this.#lockOwner === null) this.#lockOwner = localLockOwner();
    return this.#lockOwner;
  }

  /** @see Backend.exec */
  async exec(argv: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    const startedAt = performance.now();
    if (options.signal?.aborted === true) return resultWithoutStart();
    const command = await this.#start(argv, options, options.stdin === undefined ? 'ignore' : 'pipe');
    try {
      return await track(this.#running, runCommand(command, { ...options, startedAt, logger: this.#logger }));
    } finally {
      this.#forgetGone();
    }
  }

  /** @see Backend.spawn @throws `operation-aborted` if the signal was aborted before */
  async spawn(argv: readonly string[], options: SpawnOptions = {}): Promise<BackendProcess> {
    if (options.signal?.aborted === true) {
      throw new OperationAbortedError({ operation: `The start of ${argv[0]}` }, { cause: options.signal.reason });
    }
    return new SpawnedProcess(await this.#start(argv, options, 'pipe'));
  }

  /** @see Backend.startBackground */
  async startBackground(argv: readonly string[], options: StartBackgroundOptions = {}): Promise<BackgroundProcess> {
    const starting = startBackground({
      ...this.#place(argv, options),
      recordDirectory: resolve(this.#workdir, options.recordDirectory ?? RECORD_DIRECTORY),
      label: options.label ?? argv.join(' '),
      owner: this.lockOwner?.id,
      timeoutMs: options.timeoutMs,
      logger: this.#logger,
    });
    return track(
      this.#starting,
      starting.then((process) => {
        this.#background.add(process);
        return process;
      }),
    );
  }

  /** @see Backend.listBackground */
  async listBackground(options: ListBackgroundOptions = {}): Promise<readonly BackgroundProcess[]> {
    const { recordDirectories = [RECORD_DIRECTORY] } = options;
    const lists = recordDirectories.map((directory) => listBackground(resolve(this.#workdir, directory), this.#logger));
    return (await Promise.all(lists)).flat();
  }

  /** @see Backend.endProcesses */
  async endProcesses(options: EndProcessesOptions = {}): Promise<void> {
    await Promise.allSettled(this.#starting);
    const background = new Set([...this.#background, ...(options.background ?? [])]);
    await Promise.all([
      ...[...this.#commands].map((command) => command.terminate({ kind: 'aborted' })),
      ...[...background].map((process) => process.stop({ reason: 'closed' })),
    ]);
    // Whoever waits for one of them gets the output that was still in its pipes.
    await Promise.allSettled(this.#running);
    for (const command of this.#commands) command.closePipes();
    for (const process of background) this.#background.delete(process);
    this.#forgetGone();
  }

  /** @see Backend.close */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.endProcesses();
    await this.#pipes.close();
  }

  #place(argv: readonly string[], { cwd = '', env }: Pick<SpawnOptions, 'cwd' | 'env'>): CommandPlace {
    const place = {
      argv,
      cwd: resolve(this.#workdir, cwd),
      env: { ...baseEnvironment(process.env), ...this.#env, ...env },
    };
    if (this.#isClosed) {
      throw new ExecFailedError({
        command: argv[0] ?? '',
        cwd: place.cwd,
        reason: 'failed',
        problem: 'the backend is closed.',
      });
    }
    return place;
  }

  async #start(argv: readonly string[], options: SpawnOptions, stdin: 'ignore' | 'pipe'): Promise<Command> {
    const starting = Command.start({
      ...this.#place(argv, options),
      stdin,
      pipes: this.#pipes,
      signal: options.signal,
      timeoutMs: options.timeoutMs,
      logger: this.#logger,
    });
    return track(
      this.#starting,
      starting.then((command) => {
        this.#commands.add(command);
        void command.exited.then(() => this.#forgetGone());
        return command;
      }),
    );
  }

  #forgetGone(): void {
    for (const command of this.#commands) if (command.isGone) this.#commands.delete(command);
  }
}
