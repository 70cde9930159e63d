import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readProcessTable } from './process-table.ts';
import { ProcessTree } from './process-tree.ts';

/** Whether a process runs; where nobody reaps orphans, one that has ended stays in the table. */
async function isRunning(pid: number): Promise<boolean> {
  const table = await readProcessTable();
  if (table) return table.some((entry) => entry.pid === pid && !entry.isZombie);
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A leader that starts one child in its group and one in a group of its own, and says their pids. */
async function startFamily(): Promise<{ readonly leader: number; readonly children: number[] }> {
  const script = `
    const { spawn } = require('node:child_process');
    const start = (detached) => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached, stdio: 'ignore' }).pid;
    console.log(JSON.stringify([start(false), start(true)]));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { leader: child.pid ?? 0, children: JSON.parse(String(line)) as number[] };
}

describe('ProcessTree', () => {
  it.runIf(process.platform === 'linux')('ends the group and what has left it', async () => {
    const { leader, children } = await startFamily();
    const before = await readProcessTable();
    expect(before?.find(({ pid }) => pid === children[0])).toMatchObject({ parent: leader, group: leader });
    expect(before?.find(({ pid }) => pid === children[1])).toMatchObject({ parent: leader, group: children[1] });
    await new ProcessTree(leader).end(2000);
    for (const pid of [leader, ...children]) expect(await isRunning(pid)).toBe(false);
  });

  it('ends the group of a leader that has gone', async () => {
    const child = spawn('sh', ['-c', 'sleep 1000 & echo $!'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    if (child.exitCode === null) await once(child, 'exit');
    const orphan = Number(String(line));
    expect(await isRunning(orphan)).toBe(true);
    await new ProcessTree(child.pid ?? 0).end(2000);
    await expect.poll(() => isRunning(orphan)).toBe(false);
  });

  it('has nothing to do where nothing is left', async () => {
    const child = spawn('true', { detached: true });
    await once(child, 'exit');
    await new ProcessTree(child.pid ?? 0).end(2000);
    expect(await isRunning(child.pid ?? 0)).toBe(false);
  });
});
