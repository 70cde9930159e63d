import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { parseRecord } from './record.ts';
import { LEADER_SCRIPT, RUNNER_SCRIPT } from './runner-script.ts';

const directory = mkdtempSync(join(tmpdir(), 'runner-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** The shells of this machine that can be its `/bin/sh`. */
function findShells(): string[] {
  const links = { dash: '/bin/dash', bash: '/bin/bash', busybox: '/bin/busybox' };
  return Object.entries(links).flatMap(([name, path]) => {
    if (!existsSync(path)) return [];
    const shell = join(directory, name, 'sh');
    execFileSync('mkdir', ['-p', join(directory, name)]);
    symlinkSync(path, shell);
    return [shell];
  });
}

const shells = findShells();
// bash alone has job control without a terminal, which is what stands in for a missing `setsid`.
const kinds = [
  ...shells.map((shell) => ({ shell, script: RUNNER_SCRIPT, group: 'setsid' })),
  ...shells
    .filter((shell) => shell.includes('bash'))
    .map((shell) => ({ shell, script: RUNNER_SCRIPT.replaceAll('setsid', 'no-setsid'), group: 'job control' })),
];

interface RunOptions {
  /** Seconds. */
  readonly timeout?: string;
  readonly env?: Readonly<Record<string, string>>;
}

let count = 0;

function run(kind: { shell: string; script: string }, argv: readonly string[], options: RunOptions = {}) {
  count += 1;
  const base = join(directory, String(count));
  writeFileSync(
    `${base}.new`,
    `{"number":${count},"label":"x","argv":[],"startedAt":"","timeoutMs":null,"owner":"","machine":"",`,
  );
  const script = kind.script.replaceAll('/bin/sh', kind.shell);
  const runner = spawn(kind.shell, ['-c', script, 'sh', base, options.timeout ?? '', LEADER_SCRIPT, ...argv], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    env: { PATH: process.env['PATH'], ...options.env },
  });
  const number = count;
  return {
    runner,
    answer: once(runner.stdout, 'data').then(([bytes]) => String(bytes)),
    ended: once(runner, 'exit'),
    record: () => parseRecord(readFileSync(`${base}.json`, 'utf8'), number),
    status: () => readFileSync(`${base}.status`, 'utf8'),
    log: () => readFileSync(`${base}.log`, 'utf8'),
  };
}

describe.each(kinds)('runner in $shell by $group', (kind) => {
  it('records the command as the leader of a group of its own, then runs it', async () => {
    const command = run(kind, ['sh', '-c', 'echo "$1"; echo error >&2; ps -o pgid= -p $$; exit 3', 'sh', 'a  b']);
    expect(await command.answer).toBe('started\n');
    await command.ended;
    const record = command.record();
    expect(record).toMatchObject({ runnerPid: command.runner.pid, pid: record?.processGroup });
    expect(record?.pid).not.toBe(command.runner.pid);
    expect(command.log().split(/\s*\n\s*/)).toStrictEqual(['a  b', 'error', String(record?.pid), '']);
    expect(command.status()).toBe('exited 3\n');
  });

  it.each(['TERM', 'KILL', 'HUP', 'INT', 'QUIT', 'PIPE', 'SEGV'])('tells that SIG%s ended it', async (signal) => {
    const command = run(kind, ['sh', '-c', `kill -${signal} $$; sleep 30`]);
    await command.ended;
    expect(command.status()).toBe(`signaled SIG${signal}\n`);
  });

  it.each([1, 127, 129, 137, 200, 255])('tells that it exited with %d', async (code) => {
    const command = run(kind, ['sh', '-c', `exit ${code}`]);
    await command.ended;
    expect(command.status()).toBe(`exited ${code}\n`);
  });

  it('ends it after the time limit, and says so', async () => {
    const command = run(kind, ['sleep', '30'], { timeout: '0.2' });
    await command.ended;
    expect(command.status()).toBe('timed-out\n');
  });

  it('kills what does not end on SIGTERM two seconds after the time limit', async () => {
    const command = run(kind, ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done'], { timeout: '0.2' });
    const startedAt = performance.now();
    await command.ended;
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
    expect(command.status()).toBe('timed-out\n');
  });

  it('leaves no watch behind when the command ends before its time limit', async () => {
    const command = run(kind, ['true'], { timeout: '7777' });
    await command.ended;
    expect(command.status()).toBe('exited 0\n');
    await vi.waitFor(() =>
      expect(execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })).not.toContain('sleep 7777'),
    );
  });

  it('leaves the environment of the command alone', async () => {
    const names = ['base', 'code', 'cause', 'end', 'group', 'leader', 'path', 'runner', 'start', 'timeout'];
    const environment = Object.fromEntries(names.map((name) => [name, `own ${name}`]));
    const command = run(kind, ['env'], { env: environment });
    await command.ended;
    const lines = command.log().trimEnd().split('\n');
    const pathOfTests = process.env['PATH'];
    expect(lines).toEqual(
      expect.arrayContaining([`PATH=${pathOfTests}`, ...names.map((name) => `${name}=own ${name}`)]),
    );
    expect(lines.filter((line) => line.startsWith('aw_'))).toStrictEqual([]);
  });
});
