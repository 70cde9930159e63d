import { setTimeout as sleep } from 'node:timers/promises';
import { E2BRequestFailedError, OperationAbortedError, WorkspaceError } from '@agent-workspace/core';
import type { SandboxRunResult } from '@agent-workspace/gateway-client';
import {
  CommandExitError,
  type CommandHandle,
  NotFoundError,
  type Sandbox as SdkSandbox,
  SandboxNotFoundError,
} from 'e2b';
import { translateError } from '../control/translate-error.ts';

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;
/** For the end of a command that is not waited for any more. */
const KILL_MS = 5_000;

export interface RunCommandOptions {
  /** What E2B's shell runs. */
  readonly line: string;
  readonly stdin?: string | undefined;
  /** Milliseconds that the command may take, and the finding back to it. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The sandbox as it is connected to now: it may have been resumed in the meantime. */
  readonly sandbox: () => SdkSandbox;
  /**
   * Settles once the sandbox is known to run, woken if need be; rejects if it is gone. The SDK calls
   * much "not found" that is merely busy.
   */
  readonly confirm: (reason: unknown) => Promise<void>;
}

/** Begins again in a while, for as long as there is time. */
class Attempts {
  readonly #deadline: number;
  readonly #options: RunCommandOptions;
  #pauseMs: number = FIRST_PAUSE_MS;

  constructor(options: RunCommandOptions) {
    this.#options = options;
    this.#deadline = performance.now() + options.timeoutMs;
  }

  /** A whole number, as the protocol wants it. */
  get leftMs(): number {
    return Math.max(Math.ceil(this.#deadline - performance.now()), 0);
  }

  /** @throws `operation-aborted`, or `e2b-request-failed` where less time is left than this */
  check(operation: string, { needsMs, cause }: { readonly needsMs: number; readonly cause?: unknown }): void {
    const { signal, timeoutMs } = this.#options;
    if (signal?.aborted === true) throw new OperationAbortedError({ operation }, { cause: signal.reason });
    if (this.leftMs > needsMs) return;
    throw new E2BRequestFailedError({ operation, reason: `it is not done after ${timeoutMs} ms` }, { cause });
  }

  /** @throws as {@link check}, and what the sandbox is found to be */
  async next(error: unknown, operation: string): Promise<void> {
    this.check(operation, { needsMs: this.#pauseMs, cause: error });
    await this.#options.confirm(error);
    await sleep(this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
  }
}

/**
 * Runs a command to its end by E2B's own means, which may lose the connection to it: the command goes
 * on, and its result is fetched as long as it is kept. What was printed in the gap is lost.
 *
 * @throws `e2b-request-failed`, `operation-aborted`, `workspace-lost`
 */
export async function runCommand(options: RunCommandOptions): Promise<SandboxRunResult> {
  const attempts = new Attempts(options);
  const { signal } = options;
  const started = await start(options, attempts);
  const onAbort = (): void => void kill(started);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal?.aborted === true) onAbort();
    return await follow(options, attempts, started);
  } catch (error) {
    await kill(started);
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

async function follow(
  options: RunCommandOptions,
  attempts: Attempts,
  started: CommandHandle,
): Promise<SandboxRunResult> {
  let handle: CommandHandle = started;
  let stdout = '';
  let stderr = '';
  for (;;) {
    try {
      const end = await result(handle);
      // E2B itself ends what takes too long, and tells of a command that was killed.
      if (end.exitCode < 0) attempts.check('run a command in the sandbox', { needsMs: 0 });
      return { exitCode: end.exitCode, stdout: stdout + end.stdout, stderr: stderr + end.stderr };
    } catch (error) {
      if (WorkspaceError.isInstance(error)) throw error;
      stdout += handle.stdout;
      stderr += handle.stderr;
      handle = await reconnect(options, attempts, { pid: started.pid, error });
    }
  }
}

/** Starts it, with its whole stdin. A command that could not be given all of it is ended, and begun again. */
async function start(options: RunCommandOptions, attempts: Attempts): Promise<CommandHandle> {
  const { line, stdin, sandbox } = options;
  const operation = 'start a command in the sandbox';
  for (;;) {
    let handle: CommandHandle | undefined;
    try {
      handle = await sandbox().commands.run(line, {
        background: true,
        stdin: stdin !== undefined,
        timeoutMs: attempts.leftMs,
        requestTimeoutMs: attempts.leftMs,
      });
      if (stdin !== undefined) await feed(handle, stdin, attempts.leftMs);
      return handle;
    } catch (error) {
      if (handle !== undefined) await kill(handle);
      if (!mayBeMerelyBusy(error)) throw translateError(error, operation);
      await attempts.next(error, operation);
    }
  }
}

async function feed(handle: CommandHandle, stdin: string, requestTimeoutMs: number): Promise<void> {
  try {
    await handle.sendStdin(stdin, { requestTimeoutMs });
    await handle.closeStdin({ requestTimeoutMs });
  } catch (error) {
    // One that has ended did not want it.
    if (handle.exitCode === undefined && !(error instanceof NotFoundError)) throw error;
  }
}

async function result(handle: CommandHandle): Promise<SandboxRunResult> {
  try {
    return await handle.wait();
  } catch (error) {
    if (!(error instanceof CommandExitError)) throw error;
    const { exitCode, stdout, stderr } = error;
    return { exitCode, stdout, stderr };
  }
}

async function reconnect(
  options: RunCommandOptions,
  attempts: Attempts,
  { pid, error: first }: { readonly pid: number; readonly error: unknown },
): Promise<CommandHandle> {
  const operation = 'find back to a command in the sandbox';
  for (let error = first; ;) {
    await attempts.next(error, operation);
    try {
      const { leftMs } = attempts;
      return await options.sandbox().commands.connect(pid, { timeoutMs: leftMs, requestTimeoutMs: leftMs });
    } catch (failure) {
      if (!mayBeMerelyBusy(failure)) throw translateError(failure, operation);
      error = failure;
    }
  }
}

/** What the SDK says of a command or a sandbox that is there, too, where a proxy was too busy. */
function mayBeMerelyBusy(error: unknown): boolean {
  if (error instanceof SandboxNotFoundError) return true;
  // A command that is not known any more; or a user, or a directory, that is not there.
  return !(error instanceof NotFoundError) && !isRefusal(error);
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && ['InvalidArgumentError', 'AuthenticationError'].includes(error.name);
}

/** The program alone: what it has started goes on. */
async function kill(handle: CommandHandle): Promise<void> {
  // It may be gone by itself, or with its sandbox; there is nothing more to do about it either way.
  await Promise.race([handle.kill().catch(() => false), sleep(KILL_MS, undefined, { ref: false })]);
  await handle.disconnect();
}
