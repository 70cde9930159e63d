import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { base64, bash, endOf, EnvdProcess, type Frame, isAlive, openStream, outputOf } from './support/envd-process.ts';
import { NODES } from './support/nodes.ts';

const START = 'process.Process/Start';
const CONNECT = 'process.Process/Connect';

describe.each(NODES)('processes of envd ($name)', ({ node }) => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start({ node });
  });
  afterAll(() => envd[Symbol.asyncDispose]());

  const run = async (script: string, more = {}, options = {}): Promise<readonly Frame[]> =>
    (await envd.stream(START, bash(script, more), options)).frames;
  const list = async (): Promise<readonly { readonly pid: number }[]> => {
    const { body } = await envd.unary('process.Process/List', {});
    return (body as { readonly processes?: readonly { readonly pid: number }[] }).processes ?? [];
  };
  const call = (method: string, request: object) => envd.unary(`process.Process/${method}`, request);

  describe('place', () => {
    it('starts in the home, in a directory relative to it, or in an absolute one', async () => {
      expect(outputOf(await run('pwd'), 'stdout')).toBe(`${envd.home}\n`);
      await run('mkdir -p deep/er');
      expect(outputOf(await run('pwd', { process: { cwd: 'deep/er' } }), 'stdout')).toBe(`${envd.home}/deep/er\n`);
      expect(outputOf(await run('pwd', { process: { cwd: '~/deep' } }), 'stdout')).toBe(`${envd.home}/deep\n`);
      expect(outputOf(await run('pwd', { process: { cwd: '/usr' } }), 'stdout')).toBe('/usr\n');
    });

    it('gives PATH of its own variables, those of the user and of the sandbox, then those of the request', async () => {
      const start = { process: { cmd: 'env', envs: { MINE: 'a=b', HOME: '/elsewhere' } }, stdin: false };
      const { frames } = await envd.stream(START, start, { user: 'user' });
      const lines = outputOf(frames, 'stdout').trim().split('\n');
      expect(Object.fromEntries(lines.map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) ?? [line, '']))).toEqual({
        E2B_SANDBOX: 'true',
        E2B_SANDBOX_ID: expect.stringMatching(/^i/) as string,
        HOME: '/elsewhere',
        LOGNAME: 'user',
        MINE: 'a=b',
        PATH: process.env['PATH'],
        USER: 'user',
      });
    });

    it('runs as the one user there is under each of its names', async () => {
      for (const user of ['user', 'root']) {
        const frames = await run('echo $USER $HOME $(id -u)', {}, { user });
        expect(outputOf(frames, 'stdout')).toBe(`${user} ${envd.home} ${process.getuid?.()}\n`);
      }
    });

    it('says so on stderr, with code 127, when there is no such command', async () => {
      const { frames } = await envd.stream(START, { process: { cmd: 'no-such-command' } });
      expect(outputOf(frames, 'stderr')).toContain('no-such-command');
      expect(endOf(frames)).toMatchObject({ exitCode: 127, status: 'exit status 127' });
    });

    it('refuses a cwd that is a file, and the home of another user', async () => {
      const file = await run('true', { process: { cwd: '/etc/passwd' } });
      expect(file).toMatchObject([{ flags: 2, message: { error: { code: 'invalid_argument' } } }]);
      const other = await run('true', { process: { cwd: '~somebody' } });
      expect(other).toMatchObject([{ flags: 2, message: { error: { code: 'invalid_argument' } } }]);
    });
  });

  describe('output', () => {
    it('keeps stdout and stderr apart, which a command may open by name', async () => {
      const frames = await run('echo out; echo err >/dev/stderr; echo more | tee /dev/stderr');
      expect([outputOf(frames, 'stdout'), outputOf(frames, 'stderr')]).toEqual(['out\nmore\n', 'err\nmore\n']);
    });

    it('comes in chunks of at most 32 KiB, byte by byte as it was written', async () => {
      const frames = await run('head -c 300000 /dev/zero; printf "\\xff\\xfe"');
      const chunks = frames.flatMap(({ message }) => {
        const chunk = (message['event'] as { readonly data?: { readonly stdout: string } } | undefined)?.data?.stdout;
        return chunk === undefined ? [] : [Buffer.from(chunk, 'base64')];
      });
      expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(32 * 1024);
      expect(Buffer.concat(chunks)).toEqual(Buffer.concat([Buffer.alloc(300_000), Buffer.from([0xff, 0xfe])]));
    });

    it('is waited for as long as a child in the background holds it', async () => {
      const frames = await run('(sleep 0.5; echo late) & echo hi');
      expect(outputOf(frames, 'stdout')).toBe('hi\nlate\n');
    });

    it('goes to everybody who listens, from when they do', async () => {
      const script = 'read -r _; echo one; read -r _; echo two';
      const first = await openStream(envd, START, { process: { cmd: '/bin/bash', args: ['-c', script] } });
      const input = { process: { pid: first.pid }, input: { stdin: base64('\n') } };
      await call('SendInput', input);
      const one = (await first.frames.next()).value as Frame;
      expect(outputOf([one], 'stdout')).toBe('one\n');
      const second = await openStream(envd, CONNECT, { process: { pid: first.pid } });
      expect(second.pid).toBe(first.pid);
      await call('SendInput', input);
      const [a, b] = await Promise.all([first.rest(), second.rest()]);
      expect([outputOf(a, 'stdout'), outputOf(b, 'stdout')]).toEqual(['two\n', 'two\n']);
      expect(endOf(a)).toEqual({ exited: true, status: 'exit status 0' });
      expect(endOf(b)).toEqual(endOf(a));
    });

    it('is discarded while nobody listens', async () => {
      const marker = join(envd.home, 'discarded');
      const script = `read -r _; head -c 20000000 /dev/zero; touch ${marker}; read -r _; echo end`;
      const first = await openStream(envd, START, { process: { cmd: '/bin/bash', args: ['-c', script] } });
      first.abort();
      const input = { process: { pid: first.pid }, input: { stdin: base64('\n') } };
      await call('SendInput', input);
      await vi.waitFor(() => expect(existsSync(marker)).toBe(true), { timeout: 20_000 });
      const second = await openStream(envd, CONNECT, { process: { pid: first.pid } });
      await call('SendInput', input);
      expect(outputOf(await second.rest(), 'stdout')).toBe('end\n');
    });

    it('makes the process wait for a listener that does not read', async () => {
      const script = 'for i in $(seq 600); do head -c 32768 /dev/zero; echo $i >progress; done';
      const slow = await openStream(envd, START, bash(script));
      const progress = (): number => Number(readFileSync(join(envd.home, 'progress'), 'utf8'));
      let last = -1;
      // It goes on until all buffers are full, and then not any more.
      await vi.waitFor(
        () => {
          const now = progress();
          const hasStopped = now === last;
          last = now;
          expect(hasStopped).toBe(true);
        },
        { timeout: 20_000, interval: 500 },
      );
      expect(last).toBeLessThan(600);
      const rest = await slow.rest();
      expect(endOf(rest)).toEqual({ exited: true, status: 'exit status 0' });
      expect(progress()).toBe(600);
    });

    it('is alive after each silent interval', async () => {
      const { frames } = await envd.stream(START, bash('sleep 2.5'), { headers: { 'keepalive-ping-interval': '1' } });
      const silent = frames.filter(({ message }) =>
        (message['event'] as object | undefined)?.hasOwnProperty('keepalive'),
      );
      expect(silent.map(({ message }) => message)).toEqual([
        { event: { keepalive: {} } },
        { event: { keepalive: {} } },
      ]);
    });
  });

  describe('end', () => {
    it('comes at the deadline of `Start`, by SIGKILL to that one process', async () => {
      const headers = { 'connect-timeout-ms': '400' };
      const stream = await openStream(envd, START, bash('sleep 47 & echo $!; wait; echo x'), headers);
      const frames = await stream.rest();
      expect(frames.at(-1)).toEqual({
        flags: 2,
        message: { error: { code: 'deadline_exceeded', message: 'context deadline exceeded' } },
      });
      await vi.waitFor(() => expect(isAlive(stream.pid)).toBe(false));
      const grandchild = Number(outputOf(frames, 'stdout'));
      expect(isAlive(grandchild)).toBe(true);
      process.kill(grandchild, 'SIGKILL');
      const { frames: after } = await envd.stream(CONNECT, { process: { pid: stream.pid } });
      expect(endOf(after)).toEqual({ exitCode: -1, status: 'signal: killed', error: 'signal: killed' });
    });

    it('of a stream of `Connect` comes at its deadline, and the process goes on', async () => {
      const stream = await openStream(envd, START, bash('exec sleep 60'));
      const headers = { 'connect-timeout-ms': '200' };
      const { frames } = await envd.stream(CONNECT, { process: { pid: stream.pid } }, { headers });
      expect(frames.at(-1)?.message).toMatchObject({ error: { code: 'deadline_exceeded' } });
      expect(isAlive(stream.pid)).toBe(true);
      await call('SendSignal', { process: { pid: stream.pid }, signal: 'SIGNAL_SIGKILL' });
      await stream.rest();
    });

    it('does not come with that of the client', async () => {
      const marker = join(envd.home, 'went-on');
      const stream = await openStream(envd, START, bash(`read -r _; touch ${marker}`, { stdin: true }));
      stream.abort();
      await call('SendInput', { process: { pid: stream.pid }, input: { stdin: base64('\n') } });
      await vi.waitFor(() => expect(existsSync(marker)).toBe(true));
    });

    it('after SIGKILL does not wait for who else holds the output', async () => {
      const stream = await openStream(envd, START, bash('sleep 48 & echo $!; wait'));
      const grandchild = Number(outputOf([(await stream.frames.next()).value as Frame], 'stdout'));
      const startedMs = performance.now();
      await call('SendSignal', { process: { pid: stream.pid }, signal: 'SIGNAL_SIGKILL' });
      expect(endOf(await stream.rest())).toEqual({ exitCode: -1, status: 'signal: killed', error: 'signal: killed' });
      expect(performance.now() - startedMs).toBeLessThan(30_000);
      expect(isAlive(grandchild)).toBe(true);
      process.kill(grandchild, 'SIGKILL');
    });

    it('by SIGTERM may be one of its own', async () => {
      const stream = await openStream(
        envd,
        START,
        bash("trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done"),
      );
      await stream.frames.next();
      await call('SendSignal', { process: { pid: stream.pid }, signal: 'SIGNAL_SIGTERM' });
      expect(endOf(await stream.rest())).toMatchObject({ exitCode: 7, exited: true });
    });

    it('is told for a while to who asks by pid or by tag, and by nobody else', async () => {
      const [{ message } = { message: {} }] = await run('echo gone; exit 9', { tag: 'ended' });
      const pid = (message as { readonly event: { readonly start: { readonly pid: number } } }).event.start.pid;
      for (const selector of [{ pid }, { tag: 'ended' }]) {
        const { frames } = await envd.stream(CONNECT, { process: selector });
        expect(frames.map((frame) => frame.message)).toEqual([
          { event: { start: { pid } } },
          { event: { end: { exitCode: 9, exited: true, status: 'exit status 9', error: 'exit status 9' } } },
          {},
        ]);
      }
      expect((await list()).some((process) => process.pid === pid)).toBe(false);
      expect((await call('SendSignal', { process: { pid }, signal: 'SIGNAL_SIGKILL' })).status).toBe(404);
    });
  });

  describe('list and signals', () => {
    it('lists what runs, as it was asked for', async () => {
      const config = { cmd: 'sleep', args: ['60'], envs: { A: '1' }, cwd: '/' };
      const stream = await openStream(envd, START, { process: config, tag: 'listed' });
      expect(await list()).toContainEqual({ config, pid: stream.pid, tag: 'listed' });
      await call('SendSignal', { process: { tag: 'listed' }, signal: 9 });
      await stream.rest();
      expect((await list()).map(({ pid }) => pid)).not.toContain(stream.pid);
    });

    it('knows no other signals', async () => {
      const stream = await openStream(envd, START, { process: { cmd: 'cat' } });
      const answer = await call('SendSignal', { process: { pid: stream.pid }, signal: 'SIGNAL_UNSPECIFIED' });
      expect([answer.status, answer.body]).toEqual([
        501,
        { code: 'unimplemented', message: 'invalid signal: SIGNAL_UNSPECIFIED' },
      ]);
      await call('CloseStdin', { process: { pid: stream.pid } });
      await stream.rest();
    });
  });

  it('ends with all that it has started, also in the background', async () => {
    const other = await EnvdProcess.start({ node });
    const left = await other.stream(START, bash('setsid sleep 51 >/dev/null 2>&1 </dev/null & echo $!'));
    const background = Number(outputOf(left.frames, 'stdout'));
    const running = await openStream(other, START, bash('exec sleep 52'));
    expect([isAlive(background), isAlive(running.pid)]).toEqual([true, true]);
    running.frames.next().catch(() => undefined);
    await other[Symbol.asyncDispose]();
    await vi.waitFor(() => expect([isAlive(background), isAlive(running.pid)]).toEqual([false, false]));
  });
});

it('does not let a command grow old in a pause', async () => {
  await using envd = await EnvdProcess.start();
  const stream = await openStream(envd, START, bash('exec sleep 60'), { 'connect-timeout-ms': '4000' });
  envd.child.kill('SIGSTOP');
  await new Promise((resolve) => void setTimeout(resolve, 5_000));
  const resumedMs = performance.now();
  envd.child.kill('SIGCONT');
  await stream.rest();
  expect(performance.now() - resumedMs).toBeGreaterThan(1_000);
  await vi.waitFor(() => expect(isAlive(stream.pid)).toBe(false));
});

describe.runIf(process.getuid?.() === 0)('users of envd, where it is root', () => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start({ hasUsers: true });
  });
  afterAll(() => envd[Symbol.asyncDispose]());

  it.each([
    ['with pipes', {}, 'stdout'],
    ['in a terminal', { pty: { size: { cols: 80, rows: 24 } } }, 'pty'],
  ] as const)('runs as another one, with its groups and none of its own, %s', async (_, more, output) => {
    const script = 'id -u; id -g; id -G; echo $USER $HOME; grep CapEff /proc/self/status';
    const request = bash(script, { process: { cwd: '/' }, ...more });
    const { frames } = await envd.stream(START, request, { user: 'nobody' });
    const lines = outputOf(frames, output).split(/\r?\n/);
    expect(lines.slice(0, 4)).toEqual(['65534', '65534', '65534', 'nobody /nonexistent']);
    expect(lines[4]).toMatch(/^CapEff:\s+0+$/);
  });
});
