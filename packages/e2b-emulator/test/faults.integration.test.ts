import * as e2b from 'e2b';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { E2BEmulator } from '../src/index.ts';

describe('injected faults', () => {
  let emulator: E2BEmulator;
  beforeAll(async () => {
    emulator = await E2BEmulator.start({ isolation: 'process' });
    Object.assign(process.env, emulator.env);
  });
  afterEach(() => emulator.faults.clear());
  afterAll(() => emulator.close());

  it('answers 429 as often as it is told, which the SDK waits out', async () => {
    const fault = emulator.faults.add({ match: { route: 'create' }, times: 2, status: 429, retryAfter: 0 });
    const sandbox = await e2b.Sandbox.create();
    expect([fault.met, await sandbox.isRunning()]).toEqual([2, true]);
  });

  it('answers 429 without a time, which is an error at once', async () => {
    emulator.faults.add({ match: { route: 'list' }, status: 429 });
    await expect(e2b.Sandbox.list().nextItems()).rejects.toBeInstanceOf(e2b.RateLimitError);
  });

  it('answers with any status, by method and path', async () => {
    emulator.faults.add({ match: { method: 'get', path: /^\/v2\/sandboxes$/ }, status: 500, message: 'broken' });
    await expect(e2b.Sandbox.list().nextItems()).rejects.toThrow('500: broken');
    await expect(e2b.Sandbox.create()).resolves.toBeInstanceOf(e2b.Sandbox);
  });

  it('answers for envd alone, and for one sandbox alone', async () => {
    const [one, other] = [await e2b.Sandbox.create(), await e2b.Sandbox.create()];
    emulator.faults.add({ match: { target: 'envd', sandboxId: one.sandboxId }, status: 502 });
    await expect(one.files.read('x')).rejects.toBeInstanceOf(e2b.TimeoutError);
    await expect(other.files.write('x', 'there')).resolves.toMatchObject({ name: 'x' });
  });

  it('is late', async () => {
    emulator.faults.add({ match: { route: 'get' }, latencyMs: 300 });
    const sandbox = await e2b.Sandbox.create();
    const startedMs = performance.now();
    await sandbox.getInfo();
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(299);
    await expect(sandbox.getInfo({ requestTimeoutMs: 50 })).rejects.toThrow(/timeout/i);
  });

  it('cuts the connection before anything is done', async () => {
    const sandbox = await e2b.Sandbox.create();
    emulator.faults.add({ match: { route: 'kill' }, drop: 'before' });
    await expect(sandbox.kill()).rejects.toThrow('fetch failed');
    emulator.faults.clear();
    expect(await sandbox.isRunning()).toBe(true);
  });

  it('cuts an answer after what was done', async () => {
    const metadata = { cut: 'create' };
    emulator.faults.add({ match: { route: 'create' }, drop: 'mid-stream', afterBytes: 5 });
    await expect(e2b.Sandbox.create({ metadata })).rejects.toThrow('terminated');
    const left = await e2b.Sandbox.list({ query: { metadata } }).nextItems();
    expect(left).toHaveLength(1);
  });

  it('cuts the stream of a command, which goes on', async () => {
    const sandbox = await e2b.Sandbox.create();
    emulator.faults.add({ match: { path: '/process.Process/Start' }, times: 1, drop: 'mid-stream', afterBytes: 60 });
    const command = await sandbox.commands.run('sleep 1; echo a lot of output is cut; sleep 300', { background: true });
    await expect(command.wait()).rejects.toThrow(/terminated/);
    expect((await sandbox.commands.list()).map(({ pid }) => pid)).toContain(command.pid);
  });

  it('takes a sandbox away', async () => {
    const sandbox = await e2b.Sandbox.create();
    emulator.faults.add({ match: { target: 'envd', sandboxId: sandbox.sandboxId }, times: 1, vanish: true });
    await expect(sandbox.commands.run('true')).rejects.toBeInstanceOf(e2b.SandboxError);
    await expect(sandbox.getInfo()).rejects.toBeInstanceOf(e2b.SandboxNotFoundError);
    expect(await sandbox.kill()).toBe(false);
  });

  it('is injected by http, for who has only the URL', async () => {
    const url = `${emulator.url}/_emulator/faults`;
    const post = (body: object): Promise<Response> => fetch(url, { method: 'POST', body: JSON.stringify(body) });
    const added = await post({ match: { route: 'list', path: '^/v2/' }, status: 503, times: 3 });
    const { id } = (await added.json()) as { id: number };
    expect(added.status).toBe(201);
    await expect(e2b.Sandbox.list().nextItems()).rejects.toBeInstanceOf(e2b.ServiceBusyError);
    expect(await (await fetch(url)).json()).toMatchObject([{ id, met: 1, fault: { status: 503, times: 3 } }]);
    expect((await fetch(`${url}/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(`${url}/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await post({ status: 200 })).status).toBe(400);
    expect((await post({ match: { path: '(' } })).status).toBe(400);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(204);
    expect(emulator.faults.all).toEqual([]);
  });
});
