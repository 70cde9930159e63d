import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { clusterFolder } from './cluster-folder.ts';
import {
  findMarkedProcesses,
  hasEnded,
  isInit,
  killMarkedProcesses,
  markedEnvironment,
  parseNamespacePids,
} from './marked-processes.ts';

describe.runIf(process.platform === 'linux')('marked processes', () => {
  const folder = clusterFolder(`/nowhere/${process.pid}`);

  it('are found and ended by the mark in their environment, and others are not', async () => {
    const other = clusterFolder(`${folder.directory}0`);
    const argv = ['-e', 'setInterval(() => {}, 1000)'];
    const ours = spawn(process.execPath, argv, { env: markedEnvironment(folder), stdio: 'ignore' });
    const others = spawn(process.execPath, argv, { env: markedEnvironment(other), stdio: 'ignore' });
    try {
      await Promise.all([once(ours, 'spawn'), once(others, 'spawn')]);
      await expect
        .poll(() => findMarkedProcesses(folder))
        .toMatchObject([{ pid: ours.pid, argv: [process.execPath, ...argv] }]);
      const ended = once(ours, 'exit');
      await killMarkedProcesses(folder);
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(await hasEnded(others.pid ?? 0)).toBe(false);
    } finally {
      ours.kill('SIGKILL');
      others.kill('SIGKILL');
    }
  });
});

describe('parseNamespacePids', () => {
  it("reads the ids from the host's inwards", () => {
    expect(parseNamespacePids('Name:\tpause\nNSpid:\t1865\t1\nNSpgid:\t1865\t1\n')).toEqual([1865, 1]);
  });
});

describe('isInit', () => {
  it("tells the first process of a namespace within the host's", () => {
    expect(isInit({ pid: 1865, argv: [], namespacePids: [1865, 1] })).toBe(true);
    expect(isInit({ pid: 1920, argv: [], namespacePids: [1920, 7] })).toBe(false);
    expect(isInit({ pid: 1, argv: [], namespacePids: [1] })).toBe(false);
  });
});
