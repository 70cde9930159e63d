import { constants } from 'node:os';
import type { BackendProcess, ProcessEnd } from '@agent-workspace/core';
import type { Experimental_SandboxProcess as SandboxProcess } from 'ai';

/** Between asking a process to end and ending it, as everywhere in a workspace. */
const KILL_DELAY_MS = 2_000;
/** Shells tell a signal's end by a status of this much more than its number. */
const SIGNAL_BASE = 128;
/** What `timeout(1)` exits with. */
const TIMED_OUT = 124;

export interface SandboxProcessOptions {
  readonly hasStdin: boolean;
  readonly abortSignal: AbortSignal | undefined;
}

/** A running command as the AI SDK knows it. */
export function toSandboxProcess(
  process: BackendProcess,
  { hasStdin, abortSignal }: SandboxProcessOptions,
): SandboxProcess & { readonly stdin?: WritableStream<Uint8Array> } {
  // Not waited for, and no matter if it fails: what cannot be closed has no reader any more.
  if (!hasStdin) process.stdin.close().catch(() => undefined);
  let isEnded = false;
  const ended = process.end.finally(() => {
    isEnded = true;
  });
  // Whoever waits hears of a failure; nobody has to wait.
  ended.catch(() => undefined);
  return {
    pid: process.pid,
    stdout: process.stdout,
    stderr: process.stderr,
    ...(hasStdin ? { stdin: process.stdin } : {}),
    wait: async () => {
      const end = await ended;
      if (end.kind === 'aborted') abortSignal?.throwIfAborted();
      return { exitCode: exitCodeOf(end) };
    },
    kill: async () => {
      if (isEnded) return;
      await process.kill('SIGTERM');
      const timer = setTimeout(() => {
        // Where it fails the process has ended just now, which is awaited below.
        if (!isEnded) process.kill('SIGKILL').catch(() => undefined);
      }, KILL_DELAY_MS);
      try {
        await ended;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** A command's end as a shell tells it. */
export function exitCodeOf(end: ProcessEnd): number {
  switch (end.kind) {
    case 'exited':
      return end.exitCode;
    case 'signaled':
      return SIGNAL_BASE + (constants.signals[end.signal as NodeJS.Signals] ?? 0);
    case 'timed-out':
      return TIMED_OUT;
    case 'aborted':
      return SIGNAL_BASE + constants.signals.SIGTERM;
  }
}
