import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as e2b from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { E2BEmulator, type Isolation } from '../src/index.ts';

const HOST = fileURLToPath(new URL('./support/host.ts', import.meta.url));
const KINDS: readonly Isolation[] = ['docker', 'namespaces', 'process'];

/** Whether this machine has roots of a kind. One that WORKSPACE_REQUIRE names has to be there. */
async function isThere(isolation: Isolation): Promise<boolean> {
  try {
    await (await E2BEmulator.start({ isolation })).close();
    return true;
  } catch (error) {
    if ((process.env['WORKSPACE_REQUIRE'] ?? '').split(',').includes(isolation)) throw error;
    console.warn(`Not tested here: ${(error as Error).message}`);
    return false;
  }
}

const HERE = (await Promise.all(KINDS.map(async (kind) => ((await isThere(kind)) ? [kind] : [])))).flat();

/** All processes of this machine whose arguments match. */
async function findProcesses(pattern: RegExp): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'args=']);
  return stdout.split('\n').filter((line) => pattern.test(line));
}

describe.each(HERE)('the roots of kind %s', (isolation) => {
  let emulator: E2BEmulator;
  beforeAll(async () => {
    emulator = await E2BEmulator.start({ isolation });
  });
  afterAll(() => emulator.close());
  const create = (): Promise<e2b.Sandbox> => {
    const { E2B_API_KEY: apiKey, E2B_API_URL: apiUrl, E2B_SANDBOX_URL: sandboxUrl } = emulator.env;
    return e2b.Sandbox.create({ apiKey, apiUrl, sandboxUrl });
  };

  it('says of which kind it is, and why', () => {
    expect([emulator.isolation, emulator.isolationReason]).toEqual([isolation, 'it was asked for.']);
  });

  it('stops every process while it is paused, and lets the same ones go on', async () => {
    const sandbox = await create();
    // Also one whose parents have gone, which no tree of processes has.
    await sandbox.commands.run('(setsid sh -c "while :; do date +%s%N >> ticks; sleep 0.05; done" >/dev/null 2>&1 &)');
    const ticks = async (): Promise<number> => (await sandbox.files.read('ticks')).split('\n').length;
    await expect.poll(ticks).toBeGreaterThan(2);
    const { pid } = await sandbox.commands.run('exec sleep 300', { background: true });
    await sandbox.pause();
    const pausedAt = Date.now();
    await expect.poll(() => Date.now() - pausedAt).toBeGreaterThan(700);
    const resumedAt = Date.now();
    await sandbox.connect();
    const written = (await sandbox.files.read('ticks'))
      .trim()
      .split('\n')
      .map((nanoseconds) => Number(nanoseconds) / 1e6);
    const meanwhile = written.filter((at) => at > pausedAt && at < resumedAt);
    expect(meanwhile).toEqual([]);
    const before = await ticks();
    await expect.poll(ticks).toBeGreaterThan(before);
    expect((await sandbox.commands.list()).map((command) => command.pid)).toEqual([pid]);
    await sandbox.kill();
  });

  it('boots anew on the same disk, without any process of before', async () => {
    const sandbox = await create();
    await sandbox.commands.run('echo kept > kept; (setsid sleep 4242.5 >/dev/null 2>&1 &)');
    expect(await findProcesses(/sleep 4242\.5/)).toHaveLength(1);
    await sandbox.pause({ keepMemory: false });
    expect(await findProcesses(/sleep 4242\.5/)).toEqual([]);
    await sandbox.connect();
    expect(await sandbox.files.read('kept')).toBe('kept\n');
    await sandbox.kill();
  });

  it('leaves no process and no file behind', async () => {
    const paused = await create();
    await paused.commands.run('sleep 4243.5', { background: true });
    await paused.pause();
    const running = await create();
    await running.commands.run('(setsid sleep 4243.5 >/dev/null 2>&1 &)');
    expect(await findProcesses(/sleep 4243\.5/)).not.toEqual([]);
    expect(await Promise.all([paused.kill(), running.kill()])).toEqual([true, true]);
    await expect.poll(() => findProcesses(/sleep 4243\.5/)).toEqual([]);
  });

  it('is cleared away after an emulator that was killed, and not while it lives', async () => {
    const child = spawn(process.execPath, [HOST, isolation], { stdio: ['pipe', 'pipe', 'inherit'] });
    const said = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
    const { directory } = JSON.parse(said.value ?? 'null') as { readonly directory: string };
    const own = new RegExp(`sleep 4244\\.${isolation.length}`);
    expect(await findProcesses(own)).toHaveLength(2);
    await (await E2BEmulator.start({ isolation })).close();
    expect(await findProcesses(own)).toHaveLength(2);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await E2BEmulator.start({ isolation })).close();
    await expect.poll(() => findProcesses(own)).toEqual([]);
    await expect(readdir(directory)).rejects.toThrow('ENOENT');
  });
});

describe.each(HERE.filter((kind) => kind !== 'process'))('a given envd, in roots of kind %s', (isolation) => {
  it('is started in place of the built-in one, anew at each boot', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'e2b-emulator-test-'));
    const envdPath = join(directory, 'envd');
    // In the place of the real one, which cannot be had here: it has its arguments, and the built-in one's behaviour.
    const inside = '/usr/local/lib/e2b-emulator';
    const script = `#!/bin/sh\necho "$*" >> /tmp/arguments\nexec ${inside}/node ${inside}/programs/envd.cjs --port "$4"\n`;
    await writeFile(envdPath, script, { mode: 0o755 });
    try {
      await using emulator = await E2BEmulator.start({ isolation, envdPath });
      const { E2B_API_KEY: apiKey, E2B_API_URL: apiUrl, E2B_SANDBOX_URL: sandboxUrl } = emulator.env;
      const sandbox = await e2b.Sandbox.create({ apiKey, apiUrl, sandboxUrl });
      expect((await sandbox.commands.run('id -un')).stdout).toBe('user\n');
      await sandbox.pause({ keepMemory: false });
      await sandbox.connect();
      const started = '-isnotfc -no-cgroups -port 49983\n';
      expect(await sandbox.files.read('/tmp/arguments')).toBe(started + started);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe.runIf(HERE.includes('docker'))('a Docker container', () => {
  it('is let out or not, as it is told', async () => {
    await using emulator = await E2BEmulator.start({ isolation: 'docker' });
    const { E2B_API_KEY: apiKey, E2B_API_URL: apiUrl, E2B_SANDBOX_URL: sandboxUrl } = emulator.env;
    const options = { apiKey, apiUrl, sandboxUrl, allowInternetAccess: false };
    const sandbox = await e2b.Sandbox.create(options);
    const interfaces = async (): Promise<string> => (await sandbox.commands.run('ls /sys/class/net')).stdout;
    expect(await interfaces()).toBe('lo\n');
    await sandbox.updateNetwork({});
    expect(await interfaces()).toMatch(/^eth\d\nlo\n$/);
    await sandbox.updateNetwork({ denyOut: [e2b.ALL_TRAFFIC] });
    expect(await interfaces()).toBe('lo\n');
  });
});
