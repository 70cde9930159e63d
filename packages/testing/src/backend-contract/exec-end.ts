import { describe, expect, it } from 'vitest';
import {
  type BackendContractOptions,
  isRunning,
  openContractBackend,
  pidAt,
  runShell,
  textOf,
} from './contract-backend.ts';

/** Signals, time-outs and aborts of `Backend.exec`. */
export function execEndContract(options: BackendContractOptions): void {
  describe('exec that is ended', () => {
    it('exec:signaled: tells a signal from an exit status', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      expect((await runShell(backend, 'kill -KILL $$')).end).toStrictEqual({ kind: 'signaled', signal: 'SIGKILL' });
      expect((await runShell(backend, 'kill -TERM $$')).end).toStrictEqual({ kind: 'signaled', signal: 'SIGTERM' });
      expect((await runShell(backend, 'exit 143')).end).toStrictEqual({ kind: 'exited', exitCode: 143 });
    });

    it('exec:timeout-ends-tree: ends the process tree when the timeout elapses [T53] [D08]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const startedAt = performance.now();
      const script = 'sleep 30 & echo $! >child; (sleep 30; true) & echo $! >subshell; sleep 30 | cat';
      const { end } = await runShell(backend, script, { timeoutMs: 1_000 });
      expect(end).toStrictEqual({ kind: 'timed-out', timeoutMs: 1_000 });
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(995);
      expect(await isRunning(backend, await pidAt(backend, 'child'))).toBe(false);
      expect(await isRunning(backend, await pidAt(backend, 'subshell'))).toBe(false);
    });

    it('exec:timeout-grace: waits two seconds only for what does not end on SIGTERM', async () => {
      await using contract = await openContractBackend(options);
      const timeOut = async (): Promise<number> => {
        const startedAt = performance.now();
        await runShell(contract.backend, 'sleep 30 | cat', { timeoutMs: 500 });
        return performance.now() - startedAt;
      };
      // The quickest of some tells of the command, and not of what else the machine does.
      let quickestMs = await timeOut();
      for (let more = 5; more > 0 && quickestMs >= 2_500; more -= 1) quickestMs = Math.min(quickestMs, await timeOut());
      expect(quickestMs).toBeLessThan(2_500);
    });

    it('exec:timeout-no-later-effect: nothing of a timed-out command happens later [E03]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const { end } = await runShell(backend, 'echo $$ >pid; sleep 5 && touch P', { timeoutMs: 500 });
      expect(end.kind).toBe('timed-out');
      expect(await isRunning(backend, await pidAt(backend, 'pid'))).toBe(false);
      expect(await backend.stat('P')).toBeUndefined();
    });

    it('exec:timeout-output: keeps what was written until then [E05]', async () => {
      await using contract = await openContractBackend(options);
      const { end, stdout, stderr } = await runShell(contract.backend, 'echo part; echo problem >&2; sleep 30', {
        timeoutMs: 700,
      });
      expect(end.kind).toBe('timed-out');
      expect(textOf(stdout)).toBe('part\n');
      expect(textOf(stderr)).toBe('problem\n');
    });

    it('exec:timeout-kills: kills what does not end on SIGTERM two seconds later', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const script = 'trap "" TERM; echo $$ >pid; echo part; while :; do sleep 1; done';
      const startedAt = performance.now();
      const { end, stdout } = await runShell(backend, script, { timeoutMs: 500 });
      expect(performance.now() - startedAt).toBeGreaterThan(2_400);
      expect(end.kind).toBe('timed-out');
      expect(textOf(stdout)).toBe('part\n');
      expect(await isRunning(backend, await pidAt(backend, 'pid'))).toBe(false);
    });

    it('exec:timeout-kills-children: kills a child that ignores SIGTERM when its parent has gone', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const script = '(trap "" TERM; while :; do sleep 1; done) & echo $! >child; wait';
      const { end } = await runShell(backend, script, { timeoutMs: 500 });
      expect(end.kind).toBe('timed-out');
      expect(await isRunning(backend, await pidAt(backend, 'child'))).toBe(false);
    });

    it('exec:first-cause: a command that answers SIGTERM with an exit has still timed out', async () => {
      await using contract = await openContractBackend(options);
      const script = 'trap "echo caught; exit 0" TERM; while :; do sleep 0.05; done';
      const { end, stdout } = await runShell(contract.backend, script, { timeoutMs: 500 });
      expect(end.kind).toBe('timed-out');
      expect(textOf(stdout)).toBe('caught\n');
    });

    it('exec:timeout-unused: an exit before the timeout is an exit', async () => {
      await using contract = await openContractBackend(options);
      const { end } = await runShell(contract.backend, 'exit 4', { timeoutMs: 3_000_000_000 });
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 4 });
    });

    it('exec:abort-ends-tree: ends the process tree on an abort, and keeps the output [D07]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const controller = new AbortController();
      const { end, stdout } = await runShell(backend, 'sleep 30 & echo $! >child; echo part; wait', {
        signal: controller.signal,
        onOutput: () => controller.abort(),
      });
      expect(end).toStrictEqual({ kind: 'aborted' });
      expect(textOf(stdout)).toBe('part\n');
      expect(await isRunning(backend, await pidAt(backend, 'child'))).toBe(false);
    });

    it('exec:aborted-before: starts nothing where the signal is aborted already', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const { end, stdout } = await runShell(backend, 'echo x >F; echo x', { signal: AbortSignal.abort() });
      expect(end).toStrictEqual({ kind: 'aborted' });
      expect(stdout.totalBytes).toBe(0);
      expect(await backend.stat('F')).toBeUndefined();
    });

    it('exec:spares-others: ending one command touches no other [T63]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await using other = await backend.spawn(['sleep', '60']);
      expect((await runShell(backend, 'sleep 30 | cat', { timeoutMs: 200 })).end.kind).toBe('timed-out');
      expect(await isRunning(backend, other.pid)).toBe(true);
    });
  });
}
