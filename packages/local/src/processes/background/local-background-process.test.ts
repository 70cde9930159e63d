import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessTable } from '@agent-workspace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalProcesses } from '../local-processes.ts';
import type { BackgroundRecord } from './record.ts';

let workdir = '';
let processes: LocalProcesses;

beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'background-'));
  processes = new LocalProcesses({ workdir });
});
afterEach(async () => {
  await processes.close();
  await rm(workdir, { recursive: true });
});

const pathOf = (name: string): string => join(workdir, '.workspace/processes', name);

async function readRecord(number: number): Promise<BackgroundRecord> {
  return JSON.parse(await readFile(pathOf(`${number}.json`), 'utf8')) as BackgroundRecord;
}

async function livingGroups(): Promise<Set<number>> {
  return new Set((await readProcessTable()).flatMap(({ group, isZombie }) => (isZombie ? [] : [group])));
}

/** A host that starts a command and is killed as soon as it has. */
async function startFromHostThatDies(script: string, timeoutMs?: number): Promise<void> {
  const program = `
    import { LocalProcesses } from ${JSON.stringify(new URL('../local-processes.ts', import.meta.url).href)};
    const processes = new LocalProcesses({ workdir: ${JSON.stringify(workdir)} });
    await processes.startBackground(['sh', '-c', ${JSON.stringify(script)}], { timeoutMs: ${timeoutMs} });
    process.kill(process.pid, 'SIGKILL');`;
  const host = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(host, 'exit')).toStrictEqual([null, 'SIGKILL']);
}

describe('a background command whose host was killed', () => {
  it('runs on, and is found again with its log and its later status', async () => {
    await startFromHostThatDies(`echo begun; until [ -e ${workdir}/go ]; do sleep 0.02; done; echo done; exit 6`);
    const [found] = await processes.listBackground();
    expect(await found?.state()).toStrictEqual({ kind: 'running' });
    await expect.poll(() => readFile(pathOf('1.log'), 'utf8')).toBe('begun\n');
    await writeFile(join(workdir, 'go'), '');
    expect(await found?.wait()).toStrictEqual({ kind: 'exited', exitCode: 6 });
    expect(await readFile(pathOf('1.log'), 'utf8')).toBe('begun\ndone\n');
    const [again] = await new LocalProcesses({ workdir }).listBackground();
    expect(await again?.state()).toStrictEqual({ kind: 'exited', exitCode: 6 });
  });

  it('is still ended by its time limit, and marked [T54]', async () => {
    await startFromHostThatDies('sleep 65', 1_500);
    const [found] = await processes.listBackground();
    expect(await found?.state()).toStrictEqual({ kind: 'running' });
    expect(await found?.wait()).toStrictEqual({ kind: 'timed-out' });
    expect(await livingGroups()).not.toContain(found?.processGroup);
  });

  it('can be stopped by the next host', async () => {
    await startFromHostThatDies('sleep 65');
    const [found] = await processes.listBackground();
    expect(await found?.stop({ reason: 'closed' })).toStrictEqual({ kind: 'closed' });
  });
});

describe('a background command whose runner was killed', () => {
  it('is running while its group lives, and lost when that is gone', async () => {
    const command = await processes.startBackground(['sh', '-c', 'sleep 66 & echo ready; wait']);
    await expect.poll(() => readFile(command.logPath, 'utf8')).toBe('ready\n');
    const { runnerPid } = await readRecord(1);
    process.kill(runnerPid, 'SIGKILL');
    await expect.poll(livingGroups).not.toContain(runnerPid);
    expect(await command.state()).toStrictEqual({ kind: 'running' });
    process.kill(command.pid, 'SIGKILL');
    await expect
      .poll(async () => (await readProcessTable()).find(({ pid, isZombie }) => pid === command.pid && !isZombie))
      .toBeUndefined();
    expect(await command.state()).toStrictEqual({ kind: 'running' });
    process.kill(-command.processGroup, 'SIGKILL');
    expect(await command.wait()).toStrictEqual({ kind: 'lost' });
  });

  it('is ended with the watch that its runner kept, and told as closed', async () => {
    const command = await processes.startBackground(['sleep', '66'], { timeoutMs: 600_000 });
    const { runnerPid } = await readRecord(1);
    process.kill(runnerPid, 'SIGKILL');
    expect(await command.stop({ reason: 'closed' })).toStrictEqual({ kind: 'closed' });
    const groups = await livingGroups();
    expect(groups).not.toContain(runnerPid);
    expect(groups).not.toContain(command.processGroup);
  });
});

describe('a background command on record', () => {
  it('is not mistaken for a later process of its pid', async () => {
    const bystander = spawn('sleep', ['67'], { detached: true });
    const command = await processes.startBackground(['true']);
    await command.wait();
    const record = await readRecord(1);
    const later = { pid: bystander.pid, processGroup: bystander.pid, runnerPid: bystander.pid };
    const forged = { ...record, ...later, number: 2, startTime: '1', runnerStartTime: '1' };
    await writeFile(pathOf('2.json'), JSON.stringify(forged));
    const [, stale] = await processes.listBackground();
    expect(await stale?.state()).toStrictEqual({ kind: 'lost' });
    expect(await stale?.stop({ reason: 'closed' })).toStrictEqual({ kind: 'lost' });
    expect(bystander.signalCode).toBeNull();
    bystander.kill();
    await once(bystander, 'exit');
  });

  it.runIf(process.platform === 'linux')('is lost when the machine has been started anew', async () => {
    await processes.startBackground(['sleep', '67']);
    const record = await readRecord(1);
    await writeFile(pathOf('2.json'), JSON.stringify({ ...record, number: 2, machine: 'another boot:1' }));
    const [first, second] = await processes.listBackground();
    expect(await first?.state()).toStrictEqual({ kind: 'running' });
    expect(await second?.stop({ reason: 'closed' })).toStrictEqual({ kind: 'lost' });
    expect(await first?.state()).toStrictEqual({ kind: 'running' });
  });

  it('is ended whatever an agent has put in place of its files', async () => {
    const first = await processes.startBackground(['sleep', '68']);
    const second = await processes.startBackground(['sleep', '68']);
    await mkdir(pathOf('1.status'));
    await mkdir(pathOf('1.cause'));
    expect(await first.state()).toStrictEqual({ kind: 'running' });
    expect(await first.stop({ reason: 'closed' })).toStrictEqual({ kind: 'lost' });
    await rm(join(workdir, '.workspace'), { recursive: true });
    expect(await second.stop({ reason: 'closed' })).toStrictEqual({ kind: 'lost' });
    const groups = await livingGroups();
    expect([first, second].filter(({ processGroup }) => groups.has(processGroup))).toStrictEqual([]);
  });

  it('ends its runner with it, so that nothing of either is left', async () => {
    const started = await Promise.all(
      Array.from({ length: 10 }, () => processes.startBackground(['sleep', '68'], { timeoutMs: 600_000 })),
    );
    const runners = await Promise.all(started.map(async ({ number }) => (await readRecord(number)).runnerPid));
    await processes.close();
    const groups = await livingGroups();
    expect([...runners, ...started.map(({ pid }) => pid)].filter((pid) => groups.has(pid))).toStrictEqual([]);
    const zombies = async (): Promise<number> =>
      (await readProcessTable()).filter(({ parent, isZombie }) => isZombie && parent === process.pid).length;
    await expect.poll(zombies).toBe(0);
  });

  it('is numbered without a collision by several hosts at once', async () => {
    const others = [new LocalProcesses({ workdir }), new LocalProcesses({ workdir })];
    const started = await Promise.all(
      [processes, ...others].flatMap((host) => Array.from({ length: 5 }, () => host.startBackground(['true']))),
    );
    expect(new Set(started.map(({ number }) => number)).size).toBe(15);
    await Promise.all(started.map((command) => command.wait()));
    await Promise.all(others.map((host) => host.close()));
  });
});
