import type { ChildProcess } from 'node:child_process';
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { ExecFailedError, type Logger, ProcessTree } from '@agent-workspace/core';
import { isErrno, translating } from '../../files/translate-error.ts';
import { machineId } from '../machine.ts';
import { startChild } from '../start-child.ts';
import { assertRunnable, type CommandPlace } from '../start-failure.ts';
import { readBackground } from './list-background.ts';
import type { LocalBackgroundProcess } from './local-background-process.ts';
import { draftRecord, parseRecordName, recordPaths } from './record.ts';
import { LEADER_SCRIPT, RUNNER_SCRIPT } from './runner-script.ts';

export interface StartBackgroundRequest extends CommandPlace {
  readonly recordDirectory: string;
  readonly label: string;
  /** The `LockOwner.id` of this process. */
  readonly owner?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly logger: Logger;
}

/** Takes the next number: the log is made exclusively, so no two starters, of whichever process, get the same. */
async function takeNumber(directory: string): Promise<number> {
  const names = await readdir(directory);
  const last = names.reduce((highest, name) => Math.max(highest, parseRecordName(name)?.number ?? 0), 0);
  for (let number = last + 1; ; number += 1) {
    try {
      await (await open(recordPaths(directory, number).log, 'wx')).close();
      return number;
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
  }
}

/** The first line that the runner writes; empty if it ended without one. */
async function readAnswer({ stdout }: ChildProcess): Promise<string> {
  let answer = '';
  for await (const bytes of stdout ?? []) {
    answer += String(bytes);
    if (answer.includes('\n')) break;
  }
  return answer.trim();
}

/** `sleep` takes seconds, with fractions where there are some. */
function inSeconds(timeoutMs: number | undefined): string {
  if (timeoutMs === undefined || timeoutMs === Number.POSITIVE_INFINITY) return '';
  return timeoutMs % 1_000 === 0 ? String(timeoutMs / 1_000) : (Math.max(0, timeoutMs) / 1_000).toFixed(3);
}

/** @throws `exec-failed`; what the file system refuses, with its own code */
export async function startBackground(request: StartBackgroundRequest): Promise<LocalBackgroundProcess> {
  const { argv, cwd, env, recordDirectory, label, owner = '', timeoutMs, logger } = request;
  await assertRunnable(request);
  const number = await translating('create', recordDirectory, async () => {
    await mkdir(recordDirectory, { recursive: true });
    return takeNumber(recordDirectory);
  });
  const paths = recordPaths(recordDirectory, number);
  try {
    const head = {
      number,
      label,
      argv,
      startedAt: new Date().toISOString(),
      timeoutMs: timeoutMs ?? null,
      owner,
      machine: machineId() ?? '',
    };
    await translating('write', paths.draft, () => writeFile(paths.draft, draftRecord(head), { flag: 'wx' }));
    const script = [RUNNER_SCRIPT, 'sh', paths.base, inSeconds(timeoutMs), LEADER_SCRIPT];
    const runner = await startChild({
      argv: ['/bin/sh', '-c', ...script, ...argv],
      cwd,
      env,
      name: argv[0],
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    runner.child.unref();
    const answer = await readAnswer(runner.child);
    const process = readBackground(paths, number, logger);
    if (answer === 'started' && process !== undefined) return process;
    const isLeader = (): boolean => runner.child.exitCode === null && runner.child.signalCode === null;
    await new ProcessTree({ group: runner.pid, isLeader, logger }).end();
    throw new ExecFailedError({
      command: argv[0] ?? '',
      cwd,
      reason: 'failed',
      problem: answer === '' ? 'its runner ended before it had started it.' : answer,
    });
  } catch (error) {
    // Nothing ran, so nothing is on record.
    await Promise.all(Object.values(paths).map((path) => rm(path, { force: true })));
    throw error;
  }
}
