import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fixtureServer } from '@agent-workspace/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientFor, closeClients, failureOf, fixtureClient, isRunning, pidOf, textOf } from './support.ts';

afterEach(async () => {
  vi.unstubAllEnvs();
  await closeClients();
});

/** A server that notes each of its starts in a file and exits at once. */
function exitingServer(path: string): Record<string, unknown> {
  const script = `require('node:fs').appendFileSync(${JSON.stringify(path)}, Date.now() + '\\n'); process.exit(1)`;
  return { name: 'exiting', command: process.execPath, args: ['-e', script] };
}

describe('starting a stdio server', () => {
  it('starts nothing before the first use', async () => {
    const client = fixtureClient('echo');
    expect(client.state).toEqual({ kind: 'idle' });
    await client.callTool('echo', { text: 'hi' });
    expect(client.state).toEqual({ kind: 'connected', pid: expect.any(Number) });
  });

  it('starts one process for all who want it at once', async () => {
    const client = fixtureClient('slow-start', { argument: '200' });
    const pids = await Promise.all(Array.from({ length: 10 }, () => textOf(client, 'pid')));
    expect(new Set(pids)).toEqual(new Set([String(pidOf(client))]));
    expect(client.restarts).toBe(0);
  });

  it('[M06] keeps PATH beside the environment that the declaration gives', async () => {
    const args = fixtureServer('echo').args;
    const client = clientFor({ name: 'env', command: 'node', args, env: { A: '1' } });
    const env = JSON.parse(await textOf(client, 'env')) as Record<string, string>;
    expect(env['A']).toBe('1');
    expect(env['PATH']).toBe(process.env['PATH']);
  });

  it('[M07] passes nothing else of the host on', async () => {
    vi.stubEnv('SECRET_X', '1');
    vi.stubEnv('NODE_OPTIONS', '--no-warnings');
    const client = fixtureClient('echo', { declare: { env: { A: '1' } } });
    const env = JSON.parse(await textOf(client, 'env')) as Record<string, string>;
    const allowed = /^(A|PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|TERM|__CF_USER_TEXT_ENCODING)$/;
    expect(Object.keys(env).filter((name) => !allowed.test(name))).toEqual([]);
  });

  it('puts secrets where their placeholders are and leaves the declaration as it is', async () => {
    const env = { TOKEN: '${API_TOKEN}', PLAIN: 'x${API_TOKEN}' };
    const client = fixtureClient('echo', { declare: { env }, secrets: { API_TOKEN: 't-1' } });
    const seen = JSON.parse(await textOf(client, 'env')) as Record<string, string>;
    expect(seen['TOKEN']).toBe('t-1');
    expect(seen['PLAIN']).toBe('x${API_TOKEN}');
    expect(client.declaration).toMatchObject({ env });
  });

  it('does not start a server whose secret is missing', async () => {
    vi.stubEnv('API_TOKEN', 'of the host');
    const client = fixtureClient('echo', { declare: { env: { TOKEN: '${API_TOKEN}' } } });
    const failure = await failureOf(client.connect());
    expect(failure).toMatchObject({ code: 'mcp-secret-missing', details: { secret: 'API_TOKEN', field: 'env.TOKEN' } });
    expect(client.state.kind).toBe('failed');
  });

  it('runs it in the given directory, and in its own below that', async () => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-')));
    const here = fixtureClient('echo', { cwd: directory });
    expect(await textOf(here, 'cwd')).toBe(directory);
    const missing = fixtureClient('echo', { cwd: directory, declare: { cwd: 'nowhere' } });
    const failure = await failureOf(missing.connect());
    expect(failure).toMatchObject({ code: 'mcp-connect-failed' });
    expect(failure.message).toContain(`${directory}/nowhere does not exist`);
    rmSync(directory, { recursive: true });
  });

  it('says that there is no such program', async () => {
    const client = clientFor({ name: 'none', command: 'no-such-program-anywhere' });
    const failure = await failureOf(client.connect());
    expect(failure).toMatchObject({ code: 'mcp-connect-failed' });
    expect(failure.message).toContain('no-such-program-anywhere ENOENT');
  });

  it('hands arguments over as they are', async () => {
    const odd = ['a b', '$HOME', '`id`', ';', "'", '"', '*'];
    const script = 'console.error(JSON.stringify(process.argv.slice(1))); process.exit(1)';
    const client = clientFor({ name: 'args', command: process.execPath, args: ['-e', script, ...odd] });
    const failure = await failureOf(client.connect());
    expect(JSON.parse((failure['details'] as { stderr: string }).stderr)).toEqual(odd);
  });

  it('[M19] reports a server that dies at its start within 3 s, with exit code and stderr', async () => {
    const startedAt = performance.now();
    const client = clientFor({ name: 'dies', command: 'sh', args: ['-c', 'echo boom >&2; exit 7'] });
    const failure = await failureOf(client.connect());
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(failure).toMatchObject({ code: 'mcp-connect-failed', details: { exitCode: 7, stderr: 'boom' } });
    expect(failure.message).toMatch(/exited with code 7[^]*boom/);
    expect(client.state).toMatchObject({ kind: 'failed', reason: expect.stringContaining('code 7') });
    expect(client.stderrTail).toBe('boom\n');
    expect(client.lastError).toBe(failure);
  });

  it('[M29] gives up on a silent server in the connect timeout, while others work', async () => {
    const client = fixtureClient('silent', { connectTimeoutMs: 500 });
    const startedAt = performance.now();
    const failing = failureOf(client.connect());
    await vi.waitFor(() => expect(client.state.kind).toBe('connecting'));
    expect(await textOf(fixtureClient('echo'), 'echo', { text: 'meanwhile' })).toBe('meanwhile');
    expect(await failing).toMatchObject({ code: 'mcp-connect-failed' });
    expect((await failing).message).toContain('no answer to initialize within 500 ms');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(499);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('[M46] waits 20 s for a first answer with the default settings', async () => {
    const client = fixtureClient('slow-start', { argument: '20000' });
    expect(await textOf(client, 'echo', { text: 'at last' })).toBe('at last');
  });

  it('ends the waiting of a caller that aborts, and goes on connecting for the others', async () => {
    const client = fixtureClient('slow-start', { argument: '300' });
    const controller = new AbortController();
    const patient = client.connect();
    const impatient = failureOf(client.connect({ signal: controller.signal }));
    controller.abort();
    expect(await impatient).toMatchObject({ code: 'mcp-call-cancelled' });
    await patient;
    expect(client.restarts).toBe(0);
  });
});

describe('starting it again', () => {
  it('[M30] [A14] starts a server again that died between two calls', async () => {
    const client = fixtureClient('echo');
    expect(await textOf(client, 'counter')).toBe('1');
    const pid = pidOf(client);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(client.state.kind).toBe('failed'));
    expect(client.state).toMatchObject({ reason: expect.stringContaining('SIGKILL'), retryAt: expect.any(Number) });
    expect(await textOf(client, 'counter')).toBe('1');
    expect(pidOf(client)).not.toBe(pid);
    expect(client.restarts).toBe(1);
  });

  it('[M26] starts one process for ten calls after a crash', async () => {
    const client = fixtureClient('echo');
    await client.connect();
    process.kill(pidOf(client), 'SIGKILL');
    await vi.waitFor(() => expect(client.state.kind).toBe('failed'));
    const pids = await Promise.all(Array.from({ length: 10 }, () => textOf(client, 'pid')));
    expect(new Set(pids).size).toBe(1);
    expect(client.restarts).toBe(1);
    expect(await textOf(client, 'echo', { text: 'later' })).toBe('later');
  });

  it('[M26] gives ten calls that run into a crash their answer or a clear error, and works after that', async () => {
    const client = fixtureClient('echo');
    await client.connect();
    process.kill(pidOf(client), 'SIGKILL');
    const calls = await Promise.all(
      Array.from({ length: 10 }, () =>
        textOf(client, 'echo', { text: 'x' }).catch((error: { code: string }) => error.code),
      ),
    );
    expect(['x', 'mcp-server-exited']).toEqual(expect.arrayContaining([...new Set(calls)]));
    expect(await textOf(client, 'echo', { text: 'later' })).toBe('later');
    expect(client.restarts).toBe(1);
  });

  it(
    '[M25] starts a server that exits at once at most 5 times in 10 s, with growing gaps',
    { timeout: 30_000 },
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'mcp-'));
      const path = join(directory, 'starts');
      const client = clientFor(exitingServer(path));
      const until = performance.now() + 10_000;
      const codes = new Set<unknown>();
      let told: Record<string, unknown> | undefined;
      while (performance.now() < until) {
        const failure = await failureOf(client.connect());
        codes.add(failure['code']);
        const { retryAt } = failure['details'] as { retryAt?: number };
        if (retryAt === undefined) continue;
        told = failure;
        // As an agent does that asks again and again.
        await pause(50);
      }
      const starts = readFileSync(path, 'utf8').trim().split('\n').map(Number);
      const gaps = starts.slice(1).map((at, index) => at - (starts[index] as number));
      expect(starts.length).toBeGreaterThanOrEqual(4);
      expect(starts.length).toBeLessThanOrEqual(5);
      expect(gaps.toSorted((a, b) => a - b)).toEqual(gaps);
      expect([...codes]).toEqual(['mcp-connect-failed']);
      expect(told?.['message']).toMatch(/tried again in \d+ s/);
      rmSync(directory, { recursive: true });
    },
  );

  it('[M31] does not start it again after close', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mcp-'));
    const path = join(directory, 'starts');
    const script = `require('node:fs').appendFileSync(${JSON.stringify(path)}, 'start;'); import(process.argv[1]);`;
    const args = ['-e', script, ...fixtureServer('echo').args];
    const client = clientFor({ name: 'counted', command: process.execPath, args });
    await client.connect();
    const pid = pidOf(client);
    await client.close();
    expect(isRunning(pid)).toBe(false);
    expect(client.state).toEqual({ kind: 'closed' });
    for (const use of [client.connect(), client.listTools(), client.callTool('echo', {})]) {
      expect(await failureOf(use)).toMatchObject({ code: 'mcp-client-closed' });
    }
    // The case itself is that nothing happens for so long.
    await pause(5000);
    expect(readFileSync(path, 'utf8')).toBe('start;');
    rmSync(directory, { recursive: true });
  });
});

describe('ending it', () => {
  it('[M02] ends a server that heeds neither SIGTERM nor the end of stdin', async () => {
    const client = fixtureClient('ignores-sigterm');
    await client.connect();
    const pid = pidOf(client);
    const startedAt = performance.now();
    await client.close();
    expect(isRunning(pid)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('[M21] leaves nothing after 20 times of connecting and closing', async () => {
    const pids: number[] = [];
    for (let round = 0; round < 20; round++) {
      const client = fixtureClient('echo');
      await client.connect();
      pids.push(pidOf(client));
      await client.close();
    }
    expect(new Set(pids).size).toBe(20);
    expect(pids.filter(isRunning)).toEqual([]);
  });

  it('[M22] ends the whole of a server behind a shell', async () => {
    const { command, args } = fixtureServer('echo');
    const line = [command, ...args].map((part) => `'${part}'`).join(' ');
    const client = clientFor({ name: 'shell', command: 'sh', args: ['-c', `${line}; true`] });
    const server = Number(await textOf(client, 'pid'));
    const shell = pidOf(client);
    expect(server).not.toBe(shell);
    await client.close();
    expect([server, shell].filter(isRunning)).toEqual([]);
  });

  it('ends children that a server leaves behind when it is closed', async () => {
    const client = fixtureClient('spawns-children');
    const children = JSON.parse(await textOf(client, 'spawn')) as number[];
    const pid = pidOf(client);
    expect(children.filter(isRunning)).toEqual(children);
    await client.close();
    expect([pid, ...children].filter(isRunning)).toEqual([]);
  });

  it('ends children that a server leaves behind when it dies, and notices its death while they hold its pipes', async () => {
    const client = fixtureClient('spawns-children');
    const children = JSON.parse(await textOf(client, 'spawn')) as number[];
    const startedAt = performance.now();
    expect(await failureOf(client.callTool('die', {}))).toMatchObject({
      code: 'mcp-server-exited',
      details: { exitCode: 5 },
    });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]), { timeout: 20_000 });
  });

  it.runIf(process.platform === 'linux')('ends a child that has left the process group', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
      console.error('child ' + child.pid);
      import(process.argv[1]);`;
    const [main = '', name = ''] = fixtureServer('echo').args;
    const client = clientFor({ name: 'daemon', command: process.execPath, args: ['-e', script, main, name] });
    await client.connect();
    const child = Number(/child (\d+)/.exec(client.stderrTail)?.[1]);
    expect(isRunning(child)).toBe(true);
    await client.close();
    expect(isRunning(child)).toBe(false);
  });

  it('ends the process when it is closed while connecting', async () => {
    const client = fixtureClient('silent');
    const connecting = failureOf(client.connect());
    await vi.waitFor(() => expect(client.state.kind).toBe('connecting'));
    await client.close();
    expect(await connecting).toMatchObject({ code: 'mcp-client-closed' });
    expect(client.state).toEqual({ kind: 'closed' });
  });

  it('ends the waiting for a restart', async () => {
    const client = clientFor({ name: 'exits', command: 'false' });
    await failureOf(client.connect());
    await failureOf(client.connect());
    const waiting = failureOf(client.connect());
    await client.close();
    expect(await waiting).toMatchObject({ code: 'mcp-client-closed' });
  });

  it('is idempotent, and harmless before any use', async () => {
    const client = fixtureClient('echo');
    await Promise.all([client.close(), client.close()]);
    await client.close();
    expect(client.state).toEqual({ kind: 'closed' });
  });

  it('fails the calls in flight at once', async () => {
    const client = fixtureClient('echo');
    await client.connect();
    const call = failureOf(client.callTool('sleep', { ms: 30_000 }));
    const startedAt = performance.now();
    const closing = client.close();
    expect(await call).toMatchObject({ code: 'mcp-client-closed', details: { method: 'tools/call' } });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await closing;
  });
});

describe('the host', () => {
  /** Runs a program that uses this package, and gives what it printed and how long it lived on after that. */
  async function runHost(rest: string): Promise<{ readonly output: string; readonly lingeredMs: number }> {
    const { command, args } = fixtureServer('ignores-sigterm');
    const declaration = { name: 's', transport: 'stdio', command, args, env: {}, isStateful: true };
    const program = `
      import { DirectMCPClient } from '@agent-workspace/mcp';
      const client = new DirectMCPClient({ declaration: ${JSON.stringify(declaration)} });
      await client.connect();
      console.log(client.state.pid);
      ${rest}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    let lastAt = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      output += String(chunk);
      lastAt = performance.now();
    });
    await once(child, 'close');
    return { output, lingeredMs: performance.now() - lastAt };
  }

  it('takes its servers along when it exits without closing them', async () => {
    const { output } = await runHost('process.exit(0);');
    const pid = Number(output);
    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it('is not kept alive by a client that is closed', async () => {
    const { output, lingeredMs } = await runHost("await client.close(); console.log('closed');");
    expect(output).toMatch(/closed\n$/);
    expect(lingeredMs).toBeLessThan(10_000);
  });
});
