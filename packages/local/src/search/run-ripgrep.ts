import { type ChildProcess, spawn } from 'node:child_process';
import { OperationAbortedError, PatternInvalidError, SearchUnavailableError } from '@agent-workspace/core';
import { isErrno } from '../files/translate-error.ts';

const MAX_PROBLEMS = 20;
/** Enough for its longest message and many short ones. */
const MAX_STDERR_CHARACTERS = 64 * 1024;
const NOTHING_FOUND = 1;
const FAILED = 2;

export interface RipgrepRun {
  readonly binary: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** What the caller searches for, for errors about it. */
  readonly pattern: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
}

export interface RipgrepOutcome {
  readonly isIncomplete: boolean;
  readonly problems: readonly string[];
}

/** Runs ripgrep to its end, or to the end of its time. @throws `search-unavailable`, `pattern-invalid`, `operation-aborted` */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepOutcome> {
  const { exitCode, signal, stderr, isTimedOut } = await start(run);
  if (run.signal.aborted) {
    throw new OperationAbortedError({ operation: 'The search' }, { cause: run.signal.reason });
  }
  const lines = stderr.split('\n').filter((line) => line !== '');
  const problems = lines.filter((line) => isAboutFile(line)).map((line) => line.replace(/^rg: (\.\/)?/, ''));
  if (exitCode === FAILED && problems.length === 0 && !lines.some(isVanished))
    throw failure(run.pattern, stderr.trim());
  if (isTimedOut) problems.unshift(`The search was ended after ${run.timeoutMs} ms; there may be more.`);
  else if (signal !== null) problems.unshift(`The search was ended by ${signal}; there may be more.`);
  else if (exitCode !== 0 && exitCode !== NOTHING_FOUND && exitCode !== FAILED) {
    problems.unshift(`ripgrep ended with exit status ${exitCode}.`);
  }
  return { isIncomplete: problems.length > 0, problems: problems.slice(0, MAX_PROBLEMS) };
}

interface End {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  readonly isTimedOut: boolean;
}

function start({ binary, args, cwd, timeoutMs, signal, onOutput }: RipgrepRun): Promise<End> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(binary, args, { cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    let isTimedOut = false;
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => {
      isTimedOut = true;
      kill();
    }, timeoutMs);
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
    };
    child.once('error', (error) => {
      settle();
      reject(startFailure(error, binary));
    });
    child.once('close', (exitCode, killedBy) => {
      settle();
      resolve({ exitCode, signal: killedBy, stderr, isTimedOut });
    });
    // There are none if this process has no descriptor left; the error comes afterwards.
    child.stdout?.on('data', onOutput);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MAX_STDERR_CHARACTERS) stderr += text;
    });
  });
}

function startFailure(error: Error, binary: string): Error {
  if (isErrno(error, 'ENOENT'))
    return new SearchUnavailableError({ reason: `there is no ${binary}` }, { cause: error });
  return new SearchUnavailableError({ reason: `${binary} could not be started (${error.message})` }, { cause: error });
}

/** It went away while the search was on its way to it. */
function isVanished(line: string): boolean {
  return line.endsWith('(os error 2)');
}

function isAboutFile(line: string): boolean {
  return /\(os error \d+\)$/.test(line) && !isVanished(line);
}

function failure(pattern: string, stderr: string): Error {
  const words = stderr.replace(/^rg: /, '');
  // From a ripgrep of the user's that is too old.
  if (/unrecognized flag|unexpected argument|Found argument/.test(words)) {
    return new SearchUnavailableError({ reason: `this one is too old: ${words}` });
  }
  const type = /^unrecognized file type: (.*)$/.exec(words)?.[1];
  return new PatternInvalidError({ pattern: type ?? pattern, reason: words });
}
