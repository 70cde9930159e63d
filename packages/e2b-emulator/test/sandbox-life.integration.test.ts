import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { E2BEmulator } from '../src/index.ts';
import { SDKS } from './support/sdks.ts';

/** How late a sandbox may end: the real one looks every 50 ms, and this machine is busy. */
const LATENESS_MS = 10_000;

describe.each(SDKS)('the life of a sandbox, by e2b $version', ({ sdk }) => {
  const { Sandbox } = sdk;
  let emulator: E2BEmulator;
  beforeAll(async () => {
    emulator = await E2BEmulator.start({ isolation: 'process' });
    Object.assign(process.env, emulator.env);
  });
  afterAll(() => emulator.close());

  it('is killed when its time is over, and not before', async () => {
    const sandbox = await Sandbox.create({ timeoutMs: 2_000 });
    const { endAt } = await sandbox.getInfo();
    await expect.poll(() => sandbox.isRunning(), { interval: 20, timeout: 20_000 }).toBe(false);
    const lateMs = Date.now() - endAt.getTime();
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(LATENESS_MS);
    await expect(sandbox.getInfo()).rejects.toBeInstanceOf(sdk.SandboxNotFoundError);
  });

  it('ends at once when its time is set to nothing', async () => {
    const sandbox = await Sandbox.create();
    await sandbox.setTimeout(0);
    await expect.poll(() => sandbox.isRunning(), { timeout: 20_000 }).toBe(false);
  });

  it('is paused when its time is over, where that is what was wanted', async () => {
    const lifecycle = { onTimeout: 'pause' as const };
    const sandbox = await Sandbox.create({ timeoutMs: 1_000, lifecycle });
    await expect.poll(async () => (await sandbox.getInfo()).state, { timeout: 20_000 }).toBe('paused');
    expect(await sandbox.isRunning()).toBe(false);
    await sandbox.connect({ timeoutMs: 60_000 });
    expect((await sandbox.getInfo()).lifecycle).toEqual({ onTimeout: 'pause', autoResume: false });
    expect(await sandbox.isRunning()).toBe(true);
  });

  it('is woken by a request, where that is what was wanted', async () => {
    const lifecycle = { onTimeout: 'pause' as const, autoResume: true };
    const sandbox = await Sandbox.create({ timeoutMs: 60_000, lifecycle });
    const { pid } = await sandbox.commands.run('sleep 300', { background: true });
    await sandbox.pause();
    const woken = await sandbox.commands.run('echo awake');
    expect(woken.stdout).toBe('awake\n');
    expect((await sandbox.commands.list()).map((command) => command.pid)).toContain(pid);
    const { startedAt, endAt } = await sandbox.getInfo();
    expect(endAt.getTime() - startedAt.getTime()).toBe(300_000);
  });

  it('is not woken by whoever has not its token', async () => {
    const lifecycle = { onTimeout: 'pause' as const, autoResume: true };
    const sandbox = await Sandbox.create({ lifecycle });
    await sandbox.files.write('kept.txt', 'kept');
    const url = await sandbox.downloadUrl('kept.txt');
    await sandbox.pause();
    const headers = { 'e2b-sandbox-id': sandbox.sandboxId, 'e2b-sandbox-port': '49983' };
    const denied = await fetch(`${emulator.url}/health`, { headers });
    expect([denied.status, await denied.json()]).toMatchObject([403, { sandboxId: sandbox.sandboxId, code: 403 }]);
    expect((await fetch(url)).status).toBe(403);
    expect((await sandbox.getInfo()).state).toBe('paused');
  });

  it('cuts its connections when it is paused, and its commands go on after', async () => {
    const sandbox = await Sandbox.create();
    const command = await sandbox.commands.run('sleep 300', { background: true });
    const [end, paused] = await Promise.allSettled([command.wait(), sandbox.pause()]);
    expect(paused).toEqual({ status: 'fulfilled', value: true });
    expect(end).toMatchObject({ status: 'rejected', reason: expect.any(sdk.TimeoutError) });
    await expect(sandbox.commands.run('true')).rejects.toBeInstanceOf(sdk.SandboxNotFoundError);
    await sandbox.connect();
    expect(await sandbox.commands.kill(command.pid)).toBe(true);
  });

  it('keeps its token, variables and metadata through a pause without memory', async () => {
    const sandbox = await Sandbox.create({ envs: { KEPT: 'yes' }, metadata: { a: 'b' } });
    await sandbox.pause({ keepMemory: false });
    await fetch(`${emulator.url}/sandboxes/${sandbox.sandboxId}/resume`, {
      method: 'POST',
      headers: { 'x-api-key': 'any' },
    });
    expect((await sandbox.commands.run('echo $KEPT $E2B_SANDBOX_ID')).stdout).toBe(`yes ${sandbox.sandboxId}\n`);
    expect((await sandbox.getInfo()).metadata).toEqual({ a: 'b' });
  });

  it('is created, paused, resumed and killed beside many others', async () => {
    const sandboxes = await Promise.all(Array.from({ length: 6 }, () => Sandbox.create()));
    expect(new Set(sandboxes.map(({ sandboxId }) => sandboxId)).size).toBe(6);
    await Promise.all(sandboxes.map((sandbox) => sandbox.pause()));
    await Promise.all(sandboxes.map((sandbox) => sandbox.connect()));
    const outputs = await Promise.all(sandboxes.map((sandbox) => sandbox.commands.run('echo $E2B_SANDBOX_ID')));
    expect(outputs.map(({ stdout }) => stdout.trim())).toEqual(sandboxes.map(({ sandboxId }) => sandboxId));
    expect(await Promise.all(sandboxes.map((sandbox) => sandbox.kill()))).toEqual(Array(6).fill(true));
  });

  it('is woken once by many requests at a time', async () => {
    const sandbox = await Sandbox.create({ lifecycle: { onTimeout: 'pause', autoResume: true } });
    await sandbox.pause();
    const answers = await Promise.all([1, 2, 3, 4].map((n) => sandbox.commands.run(`echo ${n}`)));
    expect(answers.map(({ stdout }) => stdout)).toEqual(['1\n', '2\n', '3\n', '4\n']);
  });

  it('says what it does not emulate', async () => {
    const sandbox = await Sandbox.create();
    await expect(sandbox.createSnapshot()).rejects.toThrow('501: The E2B emulator does not emulate snapshots.');
  });
});
