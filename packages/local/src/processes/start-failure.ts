import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { type ExecFailedDetails, ExecFailedError } from '@agent-workspace/core';

type Reason = Pick<ExecFailedDetails, 'reason' | 'problem'>;

/** What a command is started with, as far as it can be a reason to fail. */
export interface CommandPlace {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What errors call the command. Default: the first of `argv`. */
  readonly name?: string | undefined;
}

function failure({ argv, cwd, name }: CommandPlace, reason: Reason, cause?: unknown): ExecFailedError {
  return new ExecFailedError({ command: name ?? argv[0] ?? '', cwd, ...reason }, { cause });
}

/** @throws `exec-failed` for what no system call takes: no command at all, or a NUL byte. */
export function assertStartable(place: CommandPlace): void {
  const { argv, cwd, env } = place;
  if (argv[0] === undefined || argv[0] === '') {
    throw failure(place, { reason: 'failed', problem: 'argv names no command.' });
  }
  if ([...argv, cwd, ...Object.entries(env).flat()].some((text) => text.includes('\0'))) {
    throw failure(place, {
      reason: 'failed',
      problem: 'its arguments, environment or working directory contain a NUL byte. Pass such content by stdin.',
    });
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function canExecute(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

type Lookup = 'found' | 'not-executable' | 'missing';

/** Looks a command up as `execvp` does. */
async function lookUp({ argv: [command = ''], cwd, env }: CommandPlace): Promise<Lookup> {
  const candidates = command.includes('/')
    ? [resolve(cwd, command)]
    : (env['PATH'] ?? '/usr/bin:/bin').split(delimiter).map((directory) => resolve(cwd, directory, command));
  let result: Lookup = 'missing';
  for (const candidate of candidates) {
    try {
      if (!(await stat(candidate)).isFile()) continue;
    } catch {
      continue;
    }
    if (await canExecute(candidate)) return 'found';
    result = 'not-executable';
  }
  return result;
}

async function findReason(place: CommandPlace): Promise<Reason | undefined> {
  if (!(await isDirectory(place.cwd))) return { reason: 'cwd-not-found' };
  if (!(await canExecute(place.cwd))) {
    return { reason: 'failed', problem: `its working directory ${place.cwd} may not be entered.` };
  }
  switch (await lookUp(place)) {
    case 'found':
      return undefined;
    case 'not-executable':
      return { reason: 'not-executable' };
    case 'missing':
      return { reason: 'command-not-found' };
  }
}

/**
 * Looks for what would keep a command from starting, for a runner that could not report it.
 *
 * @throws `exec-failed`
 */
export async function assertRunnable(place: CommandPlace): Promise<void> {
  assertStartable(place);
  const reason = await findReason(place);
  if (reason !== undefined) throw failure(place, reason);
}

/** Finds out why the system did not start a command: its own error names the wrong thing when the cwd is missing. */
export async function explainStartFailure(error: unknown, place: CommandPlace): Promise<ExecFailedError> {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES': {
      // What is there and may be executed, and still is not found, is a script whose interpreter is missing.
      const problem = `${code}. If it is a script, the interpreter in its first line may be missing.`;
      return failure(place, (await findReason(place)) ?? { reason: 'failed', problem }, error);
    }
    case 'ENOEXEC':
      return failure(place, { reason: 'not-executable' }, error);
    case 'E2BIG': {
      const problem = 'its arguments and environment are too long (E2BIG). Pass long content by stdin or in a file.';
      return failure(place, { reason: 'failed', problem }, error);
    }
    default:
      return failure(place, { reason: 'failed', problem: code ?? message }, error);
  }
}
