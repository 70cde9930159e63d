import type { Backend, BackgroundProcess, StartBackgroundOptions } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import {
  type BackendContractOptions,
  isRunning,
  openContractBackend,
  pidAt,
  runShell,
  textAt,
} from './contract-backend.ts';

function start(backend: Backend, script: string, options?: StartBackgroundOptions): Promise<BackgroundProcess> {
  return backend.startBackground(['sh', '-c', script], options);
}

/** A command that runs until the file `go` is there. */
const UNTIL_GO = 'until [ -e go ]; do sleep 0.02; done';

/** `Backend.startBackground` and `Backend.listBackground`. */
export function backgroundContract(options: BackendContractOptions): void {
  describe('background commands', () => {
    it('background:records: keeps output as it came, and the exit status, in files', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const process = await start(backend, 'echo out; echo problem >&2; echo more; exit 3');
      expect(await process.wait()).toStrictEqual({ kind: 'exited', exitCode: 3 });
      expect(process.logPath).toBe(`${backend.workdir}/.workspace/processes/1.log`);
      expect(await textAt(backend, process.logPath)).toBe('out\nproblem\nmore\n');
      expect(process.statusPath).toBe(`${backend.workdir}/.workspace/processes/1.status`);
      expect(await textAt(backend, process.statusPath)).toBe('exited 3\n');
    });

    it('background:identity: knows number, pid, group, label and start from the first moment [T58]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const process = await start(backend, 'echo $$ >pid; sleep 60', { recordDirectory: 'records', label: 'a server' });
      expect(process).toMatchObject({ number: 1, label: 'a server', logPath: `${backend.workdir}/records/1.log` });
      expect(process.pid).toBeGreaterThan(1);
      expect(process.processGroup).toBeGreaterThan(1);
      expect(Math.abs(Date.now() - Date.parse(process.startedAt))).toBeLessThan(60_000);
      await expect.poll(() => backend.stat('pid'), { timeout: 20_000 }).toMatchObject({ kind: 'file' });
      expect(await pidAt(backend, 'pid')).toBe(process.pid);
      expect((await start(backend, 'true')).label).toBe('sh -c true');
    });

    it('background:numbers: no two of a directory share a number, also when started at once', async () => {
      await using contract = await openContractBackend(options);
      const started = await Promise.all(Array.from({ length: 12 }, () => start(contract.backend, 'true')));
      const numbers = started.map(({ number }) => number).toSorted((one, other) => one - other);
      expect(numbers).toStrictEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    });

    it('background:place: takes cwd and environment, and closes stdin', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await backend.makeDirectory('sub');
      const process = await start(backend, 'cat; basename "$PWD"; echo "$ASKED_FOR"', {
        cwd: 'sub',
        env: { ASKED_FOR: 'a  b' },
      });
      expect(await process.wait()).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect(await textAt(backend, process.logPath)).toBe('sub\na  b\n');
    });

    it('background:no-shell: hands every argument over as it is', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const words = ['$HOME', 'a  b', "it's", '*', '', ';', 'ü\n"'];
      const process = await backend.startBackground(['printf', '%s|', ...words]);
      await process.wait();
      expect(await textAt(backend, process.logPath)).toBe(words.map((word) => `${word}|`).join(''));
    });

    it('background:running: is running until it has ended', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const process = await start(backend, `echo begun; ${UNTIL_GO}; exit 5`);
      expect(await process.state()).toStrictEqual({ kind: 'running' });
      expect(await backend.stat(process.statusPath)).toBeUndefined();
      await expect.poll(() => textAt(backend, process.logPath), { timeout: 20_000 }).toBe('begun\n');
      await backend.writeFile('go', '');
      expect(await process.wait()).toStrictEqual({ kind: 'exited', exitCode: 5 });
      expect(await process.state()).toStrictEqual({ kind: 'exited', exitCode: 5 });
    });

    it('background:timeout: is ended when its timeout elapses, and marked as timed out [T54]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const process = await start(backend, 'echo part; sleep 30 & echo $! >child; wait', { timeoutMs: 1_000 });
      expect(await process.wait()).toStrictEqual({ kind: 'timed-out' });
      expect(await textAt(backend, process.statusPath)).toBe('timed-out\n');
      expect(await textAt(backend, process.logPath)).toBe('part\n');
      expect(await isRunning(backend, process.pid)).toBe(false);
      expect(await isRunning(backend, await pidAt(backend, 'child'))).toBe(false);
    });

    it('background:kill-group: a shell can end it by its process group, and the status tells [T63]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await using other = await backend.spawn(['sleep', '60']);
      const process = await start(backend, 'sleep 60 & wait');
      await runShell(backend, `kill -- -${process.processGroup}`);
      expect(await process.wait()).toStrictEqual({ kind: 'signaled', signal: 'SIGTERM' });
      expect(await textAt(backend, process.statusPath)).toBe('signaled SIGTERM\n');
      expect(await isRunning(backend, other.pid)).toBe(true);
    });

    it('background:interrupt: takes SIGINT as a command in the foreground does', async () => {
      await using contract = await openContractBackend(options);
      const process = await contract.backend.startBackground(['sleep', '60']);
      await runShell(
        contract.backend,
        `kill -s INT -${process.processGroup} || kill -s INT -- -${process.processGroup}`,
      );
      expect(await process.wait()).toStrictEqual({ kind: 'signaled', signal: 'SIGINT' });
    });

    it('background:stop: ends the tree, and leaves one that has ended alone', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const process = await start(backend, 'sleep 60 & echo $! >child; echo ready; wait', { timeoutMs: 600_000 });
      await expect.poll(() => textAt(backend, process.logPath), { timeout: 20_000 }).toBe('ready\n');
      expect(await process.stop()).toStrictEqual({ kind: 'signaled', signal: 'SIGTERM' });
      expect(await isRunning(backend, process.pid)).toBe(false);
      expect(await isRunning(backend, await pidAt(backend, 'child'))).toBe(false);
      expect(await process.stop({ reason: 'closed' })).toStrictEqual({ kind: 'signaled', signal: 'SIGTERM' });
    });

    it('background:stop-kills: kills what does not end on SIGTERM', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const process = await start(backend, 'trap "" TERM; echo ready; while :; do sleep 1; done');
      await expect.poll(() => textAt(backend, process.logPath), { timeout: 20_000 }).toBe('ready\n');
      expect(await process.stop()).toStrictEqual({ kind: 'signaled', signal: 'SIGKILL' });
      expect(await isRunning(backend, process.pid)).toBe(false);
    });

    it('background:stop-closed: records why it was ended', async () => {
      await using contract = await openContractBackend(options);
      const process = await start(contract.backend, 'sleep 60', { timeoutMs: 600_000 });
      expect(await process.stop({ reason: 'closed' })).toStrictEqual({ kind: 'closed' });
      expect(await process.state()).toStrictEqual({ kind: 'closed' });
      expect(await textAt(contract.backend, process.statusPath)).toBe('closed\n');
    });

    it('background:wait-abort: stops waiting when the signal is aborted, and the command goes on', async () => {
      await using contract = await openContractBackend(options);
      const process = await start(contract.backend, 'sleep 60');
      const controller = new AbortController();
      const waiting = process.wait({ signal: controller.signal });
      controller.abort(new RangeError('enough'));
      await expect(waiting).rejects.toThrow(new RangeError('enough'));
      expect(await process.state()).toStrictEqual({ kind: 'running' });
    });

    it('background:list: finds every command on record, ended ones too, by directory and number', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      expect(await backend.listBackground()).toStrictEqual([]);
      await (await start(backend, 'exit 3')).wait();
      await start(backend, 'sleep 60');
      await start(backend, 'sleep 60', { recordDirectory: 'other', label: 'elsewhere' });
      const states = async (list: readonly BackgroundProcess[]): Promise<unknown[]> =>
        Promise.all(list.map(async (process) => [process.number, process.label, await process.state()]));
      expect(await states(await backend.listBackground())).toStrictEqual([
        [1, 'sh -c exit 3', { kind: 'exited', exitCode: 3 }],
        [2, 'sh -c sleep 60', { kind: 'running' }],
      ]);
      const recordDirectories = ['other', 'nothing-here', '.workspace/processes'];
      expect(await states(await backend.listBackground({ recordDirectories }))).toStrictEqual([
        [1, 'elsewhere', { kind: 'running' }],
        [1, 'sh -c exit 3', { kind: 'exited', exitCode: 3 }],
        [2, 'sh -c sleep 60', { kind: 'running' }],
      ]);
    });

    it('background:list-same: one from a list is the same command, to stop and to wait for', async () => {
      await using contract = await openContractBackend(options);
      const process = await start(contract.backend, 'sleep 60');
      const [found] = await contract.backend.listBackground();
      expect(found).toMatchObject({ number: process.number, pid: process.pid, startedAt: process.startedAt });
      const waiting = process.wait();
      expect(await found?.stop()).toStrictEqual({ kind: 'signaled', signal: 'SIGTERM' });
      expect(await waiting).toStrictEqual({ kind: 'signaled', signal: 'SIGTERM' });
    });

    it('background:list-hostile: a record that is none takes no other down', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await start(backend, 'sleep 60');
      await backend.writeFile('.workspace/processes/2.json', 'no json');
      await backend.writeFile('.workspace/processes/3.json', '{"number":3,"pid":1,"processGroup":1}');
      await runShell(backend, 'mkdir .workspace/processes/4.json; ln -s /etc/passwd .workspace/processes/5.json');
      expect((await backend.listBackground()).map(({ number }) => number)).toStrictEqual([1]);
      // And its number is taken.
      expect((await start(backend, 'true')).number).toBe(6);
    });

    it('background:cannot-start: fails as exec does, and leaves no record', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const failures = [
        { argv: ['no-such-command-here'], reason: 'command-not-found' },
        { argv: ['ls'], cwd: 'nope', reason: 'cwd-not-found' },
        { argv: ['/etc/passwd'], reason: 'not-executable' },
        { argv: ['echo', 'a\0b'], reason: 'failed' },
        { argv: ['echo', 'x'.repeat(5_000_000)], reason: 'failed' },
      ];
      for (const { argv, cwd, reason } of failures) {
        await expect(backend.startBackground(argv, { cwd, recordDirectory: 'records' })).rejects.toMatchObject({
          code: 'exec-failed',
          details: { command: argv[0], reason },
        });
      }
      expect(await backend.listBackground({ recordDirectories: ['records'] })).toStrictEqual([]);
    });

    it('background:end-processes: endProcesses ends what was started, recorded as closed', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const ended = await start(backend, 'exit 3');
      await ended.wait();
      const running = await start(backend, 'sleep 60');
      await backend.endProcesses();
      expect(await running.state()).toStrictEqual({ kind: 'closed' });
      expect(await isRunning(backend, running.pid)).toBe(false);
      expect(await ended.state()).toStrictEqual({ kind: 'exited', exitCode: 3 });
    });

    it('background:no-leftovers: endProcesses ends what fifty ended commands left behind', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const started = await Promise.all(
        Array.from({ length: 50 }, (_, number) => start(backend, `(sleep 61 & echo $! >orphan-${number}) & wait`)),
      );
      const states = await Promise.all(started.map((process) => process.wait()));
      expect(states).toStrictEqual(Array.from({ length: 50 }, () => ({ kind: 'exited', exitCode: 0 })));
      const pids = await Promise.all(started.map((_, number) => pidAt(backend, `orphan-${number}`)));
      expect(await isRunning(backend, pids[0] ?? 0)).toBe(true);
      await backend.endProcesses();
      const left = await Promise.all(pids.map((pid) => isRunning(backend, pid)));
      expect(left).toStrictEqual(Array.from({ length: 50 }, () => false));
    });
  });
}
