import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { silentLogger } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { ProcessTree } from './process-tree.ts';

/** A leader with a child in its group and, where the system has `setsid`, one in a session of its own. */
async function startFamily() {
  const script = 'sleep 62 & if command -v setsid >/dev/null; then setsid sleep 62 & fi; echo ready; wait';
  const leader = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(leader.stdout, 'data');
  return { leader, group: leader.pid ?? 0 };
}

describe('ProcessTree', () => {
  it('ends the group, and a child that left it for a session of its own', async () => {
    const { leader, group } = await startFamily();
    const tree = new ProcessTree({ group, isLeader: () => true, logger: silentLogger });
    const hasSession = process.platform === 'linux';
    await expect.poll(async () => (await tree.members()).length).toBe(hasSession ? 3 : 2);
    const groups = new Set((await tree.members()).map((member) => member.group));
    expect(groups.size).toBe(hasSession ? 2 : 1);
    const exit = once(leader, 'exit');
    expect(await tree.end()).toBe(true);
    expect(await exit).toStrictEqual([null, 'SIGTERM']);
    expect(await tree.members()).toStrictEqual([]);
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

  it('leaves a group alone whose number was given out again', async () => {
    const { leader, group } = await startFamily();
    const stale = new ProcessTree({ group, isLeader: () => false, logger: silentLogger });
    expect(await stale.members()).toStrictEqual([]);
    await stale.signal('SIGKILL');
    expect(await stale.end()).toBe(true);
    expect(leader.exitCode ?? leader.signalCode).toBeNull();
    await new ProcessTree({ group, isLeader: () => true, logger: silentLogger }).end();
  });
});
