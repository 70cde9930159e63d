import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CapturedOutput, type Logger, readProcess, readProcessTable } from '@agent-workspace/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalProcesses } from './local-processes.ts';
import { PipePool } from './pipe-pool.ts';

let workdir = '';
let processes: LocalProcesses;

beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'processes-'));
  processes = new LocalProcesses({ workdir, env: { OF_THE_BACKEND: 'yes' } });
});
afterEach(async () => {
  await processes.close();
  await rm(workdir, { recursive: true });
});

function textOf({ head, tail }: CapturedOutput): string {
  return Buffer.concat([head, tail]).toString();
}

function run(script: string, options?: Parameters<LocalProcesses['exec']>[1]) {
  return processes.exec(['sh', '-c', script], options);
}

async function countDescriptors(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}

async function zombiesOfThisProcess(): Promise<number> {
  return (await readProcessTable()).filter(({ parent, isZombie }) => parent === process.pid && isZombie).length;
}

describe('LocalProcesses', () => {
  it('keeps the secrets of the host from every kind of command [X13]', async () => {
    vi.stubEnv('SECRET_OF_THE_HOST', 'hunter2');
    vi.stubEnv('LD_LIBRARY_PATH', '/somewhere');
    vi.stubEnv('LC_TIME', 'C');
    try {
      const { stdout } = await processes.exec(['env'], { env: { ASKED_FOR: 'yes' } });
      const background = await processes.startBackground(['env']);
      await background.wait();
      const logged = textOf((await processes.exec(['cat', background.logPath])).stdout);
      for (const output of [textOf(stdout), logged]) {
        expect(output).toContain('OF_THE_BACKEND=yes\n');
        expect(output).toContain('LC_TIME=C\n');
        expect(output).not.toContain('hunter2');
        expect(output).not.toContain('LD_LIBRARY_PATH');
      }
      expect(textOf(stdout)).toContain('ASKED_FOR=yes\n');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('runs a command of 700 MB of output in less than 100 MB of memory [T47]', async () => {
    await run('yes | head -c 50000000');
    const before = process.memoryUsage.rss();
    let largest = before;
    const { end, stdout } = await run('yes | head -c 700000000', {
      onOutput: () => {
        largest = Math.max(largest, process.memoryUsage.rss());
      },
    });
    expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
    expect(stdout).toMatchObject({ totalBytes: 700_000_000, droppedBytes: 700_000_000 - 1_048_576 });
    expect((largest - before) / 1e6).toBeLessThan(100);
  });

  it.runIf(process.platform === 'linux')('leaves no descriptor and no zombie after 100 commands [E21]', async () => {
    const earlier = new LocalProcesses({ workdir });
    await earlier.exec(['true']);
    await earlier.close();
    const before = await countDescriptors();
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 10 }, () => run('echo x; cat', { stdin: 'y' })));
    }
    // Pipes are kept for the commands to come.
    expect((await countDescriptors()) - before).toBeLessThanOrEqual(64);
    await processes.close();
    await expect.poll(countDescriptors).toBe(before);
    await expect.poll(zombiesOfThisProcess).toBe(0);
  });

  it.runIf(process.platform === 'linux')(
    'does not look like a remote login to bash, which then read .bashrc',
    async () => {
      await writeFile(join(workdir, '.bashrc'), 'echo read');
      const { stdout } = await processes.exec(['bash', '-c', 'cat'], {
        stdin: 'given',
        env: { HOME: workdir, SHLVL: '0' },
      });
      expect(textOf(stdout)).toBe('given');
    },
  );

  it('ends a command by SIGPIPE when nobody reads it any more', async () => {
    const { stdout, end } = await processes.spawn(['yes']);
    await stdout.cancel();
    expect(await end).toStrictEqual({ kind: 'signaled', signal: 'SIGPIPE' });
  });

  it('runs commands as well where there are no pipes to be had', async () => {
    const warn = vi.fn<Logger['warn']>();
    const pipes = new PipePool({
      shell: '/no/such/shell',
      logger: { debug: vi.fn(), info: vi.fn(), warn, error: vi.fn() },
    });
    const without = new LocalProcesses({ workdir, pipes });
    for (let round = 0; round < 5; round += 1) {
      const { end, stdout } = await without.exec(['cat'], { stdin: 'given' });
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect(textOf(stdout)).toBe('given');
    }
    await without.close();
    expect(warn.mock.calls.map(([message]) => message.split(':')[0])).toStrictEqual(
      Array.from(
        { length: process.platform === 'linux' ? 3 : 0 },
        () => 'Could not start /no/such/shell to make pipes',
      ),
    );
  });

  it('reads all of the output even if this process is too busy to look in time', async () => {
    const { stdout } = await run('sleep 60 & head -c 150000 /dev/zero; echo END', {
      onOutput: () => {
        const until = performance.now() + 150;
        while (performance.now() < until);
      },
    });
    expect(stdout.totalBytes).toBe(150_004);
  });

  it('is not kept busy by a child that writes without end', async () => {
    const { end } = await run('yes & echo started');
    expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
  });

  it.runIf(process.platform === 'linux')('ends descendants in sessions of their own on a time-out', async () => {
    const { end, stdout } = await run('setsid sleep 63 & echo $!; setsid sh -c "sleep 63 & wait" & echo $!; wait', {
      timeoutMs: 500,
    });
    expect(end.kind).toBe('timed-out');
    const pids = textOf(stdout).trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    const found = await Promise.all(pids.map((pid) => readProcess(pid)));
    expect(found.filter((process) => process?.isZombie === false)).toStrictEqual([]);
  });

  it('ends what was left behind on close, and starts nothing any more', async () => {
    const { stdout } = await run('sleep 64 & echo $!; nohup sleep 64 >/dev/null 2>&1 & echo $!');
    const pids = textOf(stdout).trim().split('\n').map(Number);
    expect(await Promise.all(pids.map(async (pid) => (await readProcess(pid))?.isZombie))).toStrictEqual([
      false,
      false,
    ]);
    await processes.close();
    await processes.close();
    const found = await Promise.all(pids.map((pid) => readProcess(pid)));
    expect(found.filter((process) => process?.isZombie === false)).toStrictEqual([]);
    for (const attempt of [run('true'), processes.spawn(['true']), processes.startBackground(['true'])]) {
      await expect(attempt).rejects.toMatchObject({
        code: 'exec-failed',
        details: { problem: 'the backend is closed.' },
      });
    }
  });

  it('ends a command that is being started while it closes', async () => {
    const running = run('echo $$; sleep 69');
    const background = processes.startBackground(['sleep', '69']);
    await processes.close();
    expect((await running).end).toStrictEqual({ kind: 'aborted' });
    expect(await (await background).state()).toStrictEqual({ kind: 'closed' });
  });

  it('has the last words of a command that close ends', async () => {
    const ready = Promise.withResolvers<void>();
    const running = run('trap "echo last words; exit" TERM; echo ready; while :; do sleep 0.02; done', {
      onOutput: () => ready.resolve(),
    });
    await ready.promise;
    await processes.close();
    expect(textOf((await running).stdout)).toBe('ready\nlast words\n');
  });

  it('reads no more of a stream while its listener is not done, and all of it in the end', async () => {
    const gate = Promise.withResolvers<void>();
    let length = 0;
    const progress = join(workdir, 'progress');
    const running = run('head -c 20000000 /dev/zero; echo >progress; exit 3', {
      onOutput: ({ bytes }) => {
        length += bytes.byteLength;
        return gate.promise;
      },
    });
    // The first chunk, and no second one, whatever else is run meanwhile.
    await expect.poll(() => length).toBeGreaterThan(0);
    const first = length;
    for (let round = 0; round < 10; round++) await run('sleep 0.01');
    expect([length, existsSync(progress)]).toStrictEqual([first, false]);
    gate.resolve();
    expect(await running).toMatchObject({ end: { kind: 'exited', exitCode: 3 }, stdout: { totalBytes: 20_000_000 } });
    expect(length).toBe(20_000_000);
  });

  it('waits for no listener once the command has ended', async () => {
    const chunks: number[] = [];
    const { stdout } = await run('echo 1; sleep 0.05; echo 2', {
      onOutput: ({ bytes }) => {
        chunks.push(bytes.byteLength);
        return new Promise(() => undefined);
      },
    });
    expect([textOf(stdout), chunks]).toStrictEqual(['1\n2\n', [2, 2]]);
  });

  it('reports an exception of an output listener once', async () => {
    const warn = vi.fn<Logger['warn']>();
    const logger: Logger = { debug: vi.fn(), info: vi.fn(), warn, error: vi.fn() };
    const watched = new LocalProcesses({ workdir, logger });
    const error = new Error('a listener of the test');
    await watched.exec(['sh', '-c', 'echo 1; sleep 0.1; echo 2'], {
      onOutput: () => {
        throw error;
      },
    });
    expect(warn.mock.calls).toStrictEqual([['A listener of command output threw.', { error }]]);
  });
});
