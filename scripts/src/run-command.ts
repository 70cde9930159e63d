import { execFile } from 'node:child_process';

export interface RunCommandOptions {
  readonly cwd: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Default 120,000. */
  readonly timeoutMs?: number | undefined;
}

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that ended with something other than 0; its message holds all that it printed. */
export class CommandFailedError extends Error {
  override readonly name: string = 'CommandFailedError';
}

/** Runs a command to its end. @throws CommandFailedError with its whole output */
export function runCommand(argv: readonly string[], options: RunCommandOptions): Promise<CommandOutput> {
  const [file = '', ...args] = argv;
  const { promise, resolve, reject } = Promise.withResolvers<CommandOutput>();
  const child = execFile(
    file,
    args,
    {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      timeout: options.timeoutMs ?? 120_000,
      maxBuffer: 64 * 1024 * 1024,
    },
    (error, stdout, stderr) => {
      if (error === null) {
        resolve({ stdout, stderr });
        return;
      }
      const ended = error.killed === true ? 'took too long' : `failed (${error.code ?? error.signal})`;
      reject(
        new CommandFailedError(`${argv.join(' ')} ${ended} in ${options.cwd}\n${stdout}${stderr}`.trimEnd(), {
          cause: error,
        }),
      );
    },
  );
  child.stdin?.end();
  return promise;
}

/**
 * The pnpm that runs this script, or the one that the checkout is made for: a bare machine has none
 * on its PATH.
 */
export function pnpmCommand(): readonly string[] {
  const running = process.env['npm_execpath'];
  if (running === undefined || !/[/\\]pnpm(\.c?js|\.mjs|\.exe)?$/.test(running)) return ['npx', '-y', 'pnpm@12'];
  return running.endsWith('js') ? [process.execPath, running] : [running];
}
