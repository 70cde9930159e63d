import type { Backend, CapturedOutput, ExecOptions, ExecResult } from '@agent-workspace/core';

/** What a backend's author gives the suite. */
export interface BackendContractOptions {
  /** A fresh, empty, ready backend; called for each test. */
  create(): Promise<Backend>;
  /** Removes what `create()` made, after `backend.close()`. */
  destroy?(backend: Backend): Promise<void>;
  /** Outside of the workdir, and not there yet: the suite makes and removes it. Default `{workdir}-outside`. */
  readonly outsideDirectory?: string | undefined;
}

/** A backend for one test; `await using` closes it and removes what it stood on. */
export interface ContractBackend extends AsyncDisposable {
  readonly backend: Backend;
}

/** Makes the backend of one test: `await using contract = await openContractBackend(options)`. */
export async function openContractBackend(options: BackendContractOptions): Promise<ContractBackend> {
  const backend = await options.create();
  return {
    backend,
    async [Symbol.asyncDispose](): Promise<void> {
      await backend.close();
      await options.destroy?.(backend);
    },
  };
}

/** Runs a POSIX shell script; its parameters are `$1` and on. */
export function runShell(backend: Backend, script: string, options?: ExecOptions): Promise<ExecResult> {
  return backend.exec(['sh', '-c', script], options);
}

/** What was kept of a stream, as text. */
export function textOf({ head, tail }: CapturedOutput): string {
  return Buffer.concat([head, tail]).toString('utf8');
}

/** The content of a text file. */
export async function textAt(backend: Backend, path: string): Promise<string> {
  const { bytes } = await backend.readFile(path);
  return Buffer.from(bytes).toString('utf8');
}

/** The pid that a command wrote to a file. */
export async function pidAt(backend: Backend, path: string): Promise<number> {
  return Number(await textAt(backend, path));
}

/** Prints the state letter of process `$1`: a slim image has no `ps`, and macOS no `/proc`. */
const STATE_SCRIPT = `
if [ -d /proc/self ]; then
  sed -n 's/.*) \\([A-Z]\\) .*/\\1/p' "/proc/$1/stat" 2>/dev/null
else
  ps -o stat= -p "$1"
fi`;

/** Whether a process runs where the backend is. One that has ended and was not yet reaped does not. */
export async function isRunning(backend: Backend, pid: number): Promise<boolean> {
  const { stdout } = await backend.exec(['sh', '-c', STATE_SCRIPT, 'sh', String(pid)]);
  const state = textOf(stdout).trim();
  return state !== '' && !state.startsWith('Z');
}
