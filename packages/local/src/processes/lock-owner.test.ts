import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readProcess } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { localLockOwner } from './lock-owner.ts';
import { machineId } from './machine.ts';

describe.runIf(process.platform === 'linux')('lock owner', () => {
  it('names this process, which is alive', async () => {
    const owner = localLockOwner();
    const self = await readProcess(process.pid);
    expect(owner?.id).toBe(`${machineId()}:${process.pid}:${self?.startTime}`);
    expect(owner?.id).toMatch(/^[0-9a-f-]{36}:\d+:\d+:\d+$/);
    expect(await owner?.isAlive(owner.id)).toBe(true);
  });

  it('knows another process as alive, then as gone', async () => {
    const child = spawn('sleep', ['60']);
    const found = await readProcess(child.pid ?? 0);
    const id = `${machineId()}:${child.pid}:${found?.startTime}`;
    expect(await localLockOwner()?.isAlive(id)).toBe(true);
    const exit = once(child, 'exit');
    child.kill();
    await exit;
    expect(await localLockOwner()?.isAlive(id)).toBe(false);
  });

  it('does not take a later process of the same pid for the owner', async () => {
    expect(await localLockOwner()?.isAlive(`${machineId()}:${process.pid}:1`)).toBe(false);
  });

  it.each(['', 'text', `00000000-0000-0000-0000-000000000000:1:1:1`, `${machineId()}1:1:1`])(
    'does not know of another machine, or namespace: %s',
    async (id) => {
      expect(await localLockOwner()?.isAlive(id)).toBeUndefined();
    },
  );
});
