import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseProcStat, parsePsLine, readProcess, readProcessTable } from './process-table.ts';

describe('process table', () => {
  it('reads a line of /proc, whatever the name of the program', () => {
    const rest = '1 42 40 0 -1 4194304 87 0 0 0 0 0 0 0 20 0 1 0 142694 2654208 392';
    const expected = { pid: 43, parent: 1, group: 42, session: 40, startTime: '142694' };
    expect(parseProcStat(`43 (sh) S ${rest}`)).toStrictEqual({ ...expected, isZombie: false });
    expect(parseProcStat(`43 (a) R 7 (b) Z ${rest}`)).toStrictEqual({ ...expected, isZombie: true });
    expect(parseProcStat('43 (sh)')).toBeUndefined();
  });

  it('reads a line of ps', () => {
    expect(parsePsLine('   43     1    42 Ss   Mon Jan  5 10:00:00 2026  ')).toStrictEqual({
      pid: 43,
      parent: 1,
      group: 42,
      session: 0,
      startTime: 'Mon Jan 5 10:00:00 2026',
      isZombie: false,
    });
    expect(parsePsLine('43 1 42 Z+ Mon Jan 5 10:00:00 2026')).toMatchObject({ isZombie: true });
    expect(parsePsLine('')).toBeUndefined();
  });

  it('finds this process, and tells it from none', async () => {
    const self = await readProcess(process.pid);
    expect(self).toMatchObject({ pid: process.pid, parent: process.ppid, isZombie: false });
    expect((await readProcessTable()).find(({ pid }) => pid === process.pid)).toStrictEqual(self);

    const child = spawn('true');
    await once(child, 'exit');
    expect(await readProcess(child.pid ?? 0)).toBeUndefined();
  });
});

describe('process table of a system without /proc', () => {
  afterEach(() => {
    vi.doUnmock('node:fs');
    vi.resetModules();
  });

  it('asks ps', async () => {
    vi.resetModules();
    vi.doMock('node:fs', () => ({ existsSync: () => false }));
    const table = await import('./process-table.ts');
    const self = await table.readProcess(process.pid);
    expect(self).toMatchObject({ pid: process.pid, parent: process.ppid, session: 0, isZombie: false });
    expect(self?.startTime).toMatch(/^\w{3} \w{3} \d+ \d\d:\d\d:\d\d \d{4}$/);
    expect((await table.readProcessTable()).find(({ pid }) => pid === process.pid)).toStrictEqual(self);
    expect(table.readProcessNow(process.pid)).toBeUndefined();
    const child = spawn('true');
    await once(child, 'exit');
    expect(await table.readProcess(child.pid ?? 0)).toBeUndefined();
  });
});
