import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Logger, silentLogger } from '../events/logger.ts';
import { readProcess, readProcessTable } from './process-table.ts';
import { ProcessTree } from './process-tree.ts';

interface Family {
  readonly leader: ChildProcess;
  readonly group: number;
  /** What the script printed. */
  readonly output: string;
}

/** Starts a script that leads a group of its own, and waits until it prints something. */
async function start(command: string, args: readonly string[]): Promise<Family> {
  const leader = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const [output] = (await once(leader.stdout, 'data')) as [Buffer];
  return { leader, group: leader.pid ?? 0, output: String(output) };
}

/** A leader with a child in its group and, where the system has `setsid`, one in a session of its own. */
function startFamily(): Promise<Family> {
  const script = 'sleep 62 & if command -v setsid >/dev/null; then setsid sleep 62 & fi; echo ready; wait';
  return start('sh', ['-c', script]);
}

/** Of a child that this process started and has not been told the end of. */
function treeOf({ leader, group }: Family): ProcessTree {
  const isLeader = (): boolean => leader.exitCode === null && leader.signalCode === null;
  return new ProcessTree({ group, isLeader, logger: silentLogger });
}

/** Where nobody reaps orphans, one that has ended stays in the table. */
async function isRunning(pid: number): Promise<boolean> {
  return (await readProcess(pid))?.isZombie === false;
}

describe('ProcessTree', () => {
  it('ends the group, and a child that left it for a session of its own', async () => {
    const { leader, group } = await startFamily();
    const tree = new ProcessTree({ group, isLeader: () => true, logger: silentLogger });
    const hasSession = process.platform === 'linux';
    // `setsid` is a child of the group before it leaves it.
    await expect
      .poll(async () => {
        const members = await tree.members();
        return [members.length, new Set(members.map((member) => member.group)).size];
      })
      .toStrictEqual(hasSession ? [3, 2] : [2, 1]);
    const exit = once(leader, 'exit');
    expect(await tree.end()).toBe(true);
    expect(await exit).toStrictEqual([null, 'SIGTERM']);
    expect(await tree.members()).toStrictEqual([]);
  });

  it('ends what has left the group before the tree was first looked at', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const start = (detached) => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached, stdio: 'ignore' }).pid;
      console.log(JSON.stringify([start(false), start(true)]));
      setInterval(() => {}, 1000);`;
    const family = await start(process.execPath, ['-e', script]);
    const { group, output } = family;
    const children = JSON.parse(output) as number[];
    const before = await readProcessTable();
    expect(before.find(({ pid }) => pid === children[0])).toMatchObject({ parent: group, group });
    expect(before.find(({ pid }) => pid === children[1])).toMatchObject({ parent: group, group: children[1] });
    expect(await treeOf(family).end()).toBe(true);
    for (const pid of [group, ...children]) expect(await isRunning(pid)).toBe(false);
  });

  it('goes on to know a child of a session of its own when the leader has gone', async () => {
    const { leader, group } = await startFamily();
    let hasExited = false;
    const tree = new ProcessTree({ group, isLeader: () => !hasExited, logger: silentLogger });
    const before = (await tree.members()).length;
    const exit = once(leader, 'exit');
    leader.kill('SIGKILL');
    await exit;
    hasExited = true;
    expect(await tree.members()).toHaveLength(before - 1);
    expect(await tree.end()).toBe(true);
  });

  it('ends the group of a leader that has gone', async () => {
    const family = await start('sh', ['-c', 'sleep 1000 & echo $!']);
    const { leader, output } = family;
    if (leader.exitCode === null) await once(leader, 'exit');
    const orphan = Number(output);
    expect(await isRunning(orphan)).toBe(true);
    expect(await treeOf(family).end()).toBe(true);
    expect(await isRunning(orphan)).toBe(false);
  });

  it('has nothing to do where nothing is left', async () => {
    const family = await start('echo', ['ready']);
    if (family.leader.exitCode === null) await once(family.leader, 'exit');
    expect(await treeOf(family).end()).toBe(true);
    expect(await isRunning(family.group)).toBe(false);
  });

  it('leaves a group alone whose number was given out again', async () => {
    const { leader, group } = await startFamily();
    const stale = new ProcessTree({ group, isLeader: () => false, logger: silentLogger });
    expect(await stale.members()).toStrictEqual([]);
    await stale.signal('SIGKILL');
    expect(await stale.end()).toBe(true);
    expect(leader.exitCode ?? leader.signalCode).toBeNull();
    await new ProcessTree({ group, isLeader: () => true, logger: silentLogger }).end();
  });

  it('kills after the grace what does not heed SIGTERM', async () => {
    const family = await start('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 62; done']);
    const exit = once(family.leader, 'exit');
    const startedAt = performance.now();
    expect(await treeOf(family).end({ graceMs: 100 })).toBe(true);
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThanOrEqual(100);
    expect(tookMs).toBeLessThan(2000);
    expect(await exit).toStrictEqual([null, 'SIGKILL']);
  });
});

describe('ProcessTree where the table of processes cannot be read', () => {
  let Tree: typeof ProcessTree;
  beforeEach(async () => {
    vi.resetModules();
    vi.doMock('node:fs', () => ({ existsSync: () => false }));
    Tree = (await import('./process-tree.ts')).ProcessTree;
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.doUnmock('node:fs');
    vi.resetModules();
  });

  /** A leader with a child in its group that it sees to the end of. */
  async function startPair(): Promise<Family> {
    const family = await start('sh', ['-c', 'trap : TERM; sleep 62 & echo $!; wait; wait']);
    // There is no `ps` either.
    vi.stubEnv('PATH', '/nowhere');
    return family;
  }

  it('ends the group, and says that it knows no more than that', async () => {
    const warn = vi.fn<Logger['warn']>();
    const { leader, group, output } = await startPair();
    const exit = once(leader, 'exit');
    const tree = new Tree({ group, isLeader: () => true, logger: { ...silentLogger, warn } });
    expect(await tree.members()).toMatchObject([{ pid: group, group }]);
    expect(await tree.end()).toBe(true);
    await exit;
    expect(await isRunning(Number(output))).toBe(false);
    expect(warn.mock.calls).toStrictEqual([[expect.stringContaining(`only group ${group} can be ended`)]]);
  });

  it('leaves a group alone that it cannot tell from a later one of its number', async () => {
    const { leader, group } = await startPair();
    const isLeader = ({ startTime }: { readonly startTime: string }): boolean => startTime === '142694';
    const tree = new Tree({ group, isLeader, logger: silentLogger });
    expect(await tree.members()).toStrictEqual([]);
    expect(await tree.end()).toBe(true);
    expect(leader.exitCode ?? leader.signalCode).toBeNull();
    await new Tree({ group, isLeader: () => true, logger: silentLogger }).end();
  });
});
