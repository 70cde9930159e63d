import type { BackendProcess } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { type BackendContractOptions, isRunning, openContractBackend, pidAt, textAt } from './contract-backend.ts';

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream));
}

async function send(process: BackendProcess, text: string): Promise<void> {
  const writer = process.stdin.getWriter();
  await writer.write(Buffer.from(text));
  await writer.close();
}

/** `Backend.spawn`. */
export function spawnContract(options: BackendContractOptions): void {
  describe('spawn', () => {
    it('spawn:streams: carries stdin, stdout and stderr', async () => {
      await using contract = await openContractBackend(options);
      await using process = await contract.backend.spawn(['sh', '-c', 'cat; echo problem >&2; exit 3']);
      await send(process, 'hello');
      expect((await collect(process.stdout)).toString()).toBe('hello');
      expect((await collect(process.stderr)).toString()).toBe('problem\n');
      expect(await process.end).toStrictEqual({ kind: 'exited', exitCode: 3 });
    });

    it('spawn:interactive: answers while it runs', async () => {
      await using contract = await openContractBackend(options);
      await using process = await contract.backend.spawn(['cat']);
      const writer = process.stdin.getWriter();
      const reader = process.stdout.getReader();
      for (const line of ['one', 'two', 'three']) {
        await writer.write(Buffer.from(line));
        const { value } = await reader.read();
        expect(Buffer.from(value ?? []).toString()).toBe(line);
      }
      await writer.close();
      expect((await reader.read()).done).toBe(true);
      expect(await process.end).toStrictEqual({ kind: 'exited', exitCode: 0 });
    });

    it('spawn:stdin-late: closing its stdin takes no time where the command exits meanwhile', async () => {
      await using contract = await openContractBackend(options);
      for (let round = 0; round < 20; round += 1) {
        await using process = await contract.backend.spawn(['sh', '-c', 'true']);
        await new Promise((resolve) => void setTimeout(resolve, round % 8));
        const since = performance.now();
        // Whether it was in time or not.
        await process.stdin.close().catch(() => undefined);
        expect(performance.now() - since).toBeLessThan(4_000);
      }
    });

    it('spawn:back-pressure: a command waits for whoever reads its output, and nothing is lost', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const script =
        'for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do head -c 2000000 /dev/zero; echo $n >progress; done';
      await using process = await backend.spawn(['sh', '-c', script]);
      const progress = async (): Promise<string> =>
        (await backend.stat('progress')) ? textAt(backend, 'progress') : '0';
      let before = '';
      // It stands still when two looks in a row find the same.
      await expect
        .poll(async () => [before, (before = await progress())], { interval: 300, timeout: 20_000 })
        .toSatisfy(([earlier, later]: [string, string]) => earlier === later);
      expect(Number(before)).toBeLessThan(20);
      expect(await collect(process.stdout)).toHaveLength(40_000_000);
    });

    it('spawn:end: settles when the command exits, whoever holds its pipes', async () => {
      await using contract = await openContractBackend(options);
      await using process = await contract.backend.spawn(['sh', '-c', 'sleep 60 & exit 4']);
      expect(await process.end).toStrictEqual({ kind: 'exited', exitCode: 4 });
    });

    it('spawn:kill: signals the whole tree, with SIGTERM unless told otherwise', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await using process = await backend.spawn(['sh', '-c', 'sleep 60 & echo $! >child; echo ready; wait']);
      await process.stdout.getReader().read();
      await process.kill();
      expect(await process.end).toStrictEqual({ kind: 'signaled', signal: 'SIGTERM' });
      const child = await pidAt(backend, 'child');
      await expect.poll(() => isRunning(backend, child), { timeout: 20_000 }).toBe(false);

      await using other = await backend.spawn(['sleep', '60']);
      await other.kill('SIGKILL');
      expect(await other.end).toStrictEqual({ kind: 'signaled', signal: 'SIGKILL' });
      // A second one finds nothing, and is no error.
      await other.kill('SIGKILL');
    });

    it('spawn:process-group: is the leader of a group that a shell can end', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await using process = await backend.spawn(['sh', '-c', 'sleep 60 & echo ready; wait']);
      await process.stdout.getReader().read();
      const { end } = await backend.exec(['sh', '-c', 'kill -- "-$1"', 'sh', String(process.processGroup)]);
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect(await process.end).toStrictEqual({ kind: 'signaled', signal: 'SIGTERM' });
    });

    it('spawn:dispose: ends the tree, and its streams with it', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const process = await backend.spawn(['sh', '-c', 'sleep 60 & echo $! >child; echo ready; wait']);
      const reader = process.stdout.getReader();
      await reader.read();
      await process[Symbol.asyncDispose]();
      expect(await process.end).toStrictEqual({ kind: 'aborted' });
      expect((await reader.read()).done).toBe(true);
      expect(await isRunning(backend, process.pid)).toBe(false);
      expect(await isRunning(backend, await pidAt(backend, 'child'))).toBe(false);
    });

    it('spawn:timeout: ends the tree when the timeout elapses', async () => {
      await using contract = await openContractBackend(options);
      await using process = await contract.backend.spawn(['sh', '-c', 'sleep 30 | cat'], { timeoutMs: 300 });
      expect(await process.end).toStrictEqual({ kind: 'timed-out', timeoutMs: 300 });
    });

    it('spawn:abort: ends the tree on an abort, and starts nothing after one', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const controller = new AbortController();
      await using process = await backend.spawn(['sleep', '30'], { signal: controller.signal });
      controller.abort();
      expect(await process.end).toStrictEqual({ kind: 'aborted' });
      await expect(backend.spawn(['touch', 'F'], { signal: controller.signal })).rejects.toMatchObject({
        code: 'operation-aborted',
      });
      expect(await backend.stat('F')).toBeUndefined();
    });

    it('spawn:cannot-start: fails as exec does', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await expect(backend.spawn(['no-such-command-here'])).rejects.toMatchObject({
        code: 'exec-failed',
        details: { reason: 'command-not-found' },
      });
      await expect(backend.spawn(['ls'], { cwd: 'nope' })).rejects.toMatchObject({
        code: 'exec-failed',
        details: { reason: 'cwd-not-found' },
      });
    });

    it('spawn:end-processes: endProcesses ends it', async () => {
      await using contract = await openContractBackend(options);
      const process = await contract.backend.spawn(['sleep', '30']);
      await contract.backend.endProcesses();
      expect(await process.end).toStrictEqual({ kind: 'aborted' });
    });
  });
}
