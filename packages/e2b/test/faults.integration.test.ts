import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { silentLogger } from '@agent-workspace/core';
import { GatewayKeeper } from '@agent-workspace/gateway-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gatewayFiles, SANDBOX_LAYOUT } from '../src/bootstrap/layout.ts';
import { METADATA_KEYS } from '../src/control/identity.ts';
import { E2BSandbox } from '../src/e2b-sandbox.ts';
import { E2BWorkspace, type E2BWorkspaceOptions } from '../src/index.ts';
import { hasSandboxes, START_MS, startEmulator, type TestEmulator } from './support/emulator.ts';

describe.skipIf(!hasSandboxes)('where something goes wrong', () => {
  const { signal } = new AbortController();
  let test: TestEmulator;
  const sandboxes: E2BSandbox[] = [];

  beforeAll(async () => {
    test = await startEmulator();
  }, START_MS);

  afterEach(async () => {
    test.emulator.faults.clear();
    for (const sandbox of sandboxes.splice(0)) await sandbox.destroyAll();
  });

  afterAll(() => test[Symbol.asyncDispose](), START_MS);

  function make(workspaceId: string = randomUUID(), options: E2BWorkspaceOptions = {}): E2BSandbox {
    const isInUse = (): boolean => true;
    const sandbox = new E2BSandbox({ ...test.connection, ...options, workspaceId, logger: silentLogger, isInUse });
    sandboxes.push(sandbox);
    return sandbox;
  }

  async function count(workspaceId: string): Promise<number> {
    const query = { metadata: { [METADATA_KEYS.workspace]: workspaceId } };
    return (await test.client.Sandbox.list({ query }).nextItems()).length;
  }

  describe('in the control plane', () => {
    it('makes no second sandbox where the list fails, and finds the first when it works again', async () => {
      const workspaceId = randomUUID();
      const first = make(workspaceId);
      await first.start({ signal });
      test.emulator.faults.add({ match: { route: 'list' }, status: 500, times: 1 });
      const options = { ...test.connection, workspaceId };
      await expect(E2BWorkspace.open(options)).rejects.toMatchObject({
        code: 'e2b-request-failed',
        details: { operation: 'list the sandboxes', status: 500 },
      });
      expect(await count(workspaceId)).toBe(1);
      await using workspace = await E2BWorkspace.open(options);
      expect(workspace.sandboxId).toBe(first.sandboxId);
    });

    it('waits out a 429 of every route that a life goes through', async () => {
      const workspaceId = randomUUID();
      for (const route of ['list', 'create', 'connect', 'pause', 'kill']) {
        test.emulator.faults.add({ match: { route }, status: 429, retryAfter: 1, times: 1 });
        test.emulator.faults.add({ match: { route }, status: 429, times: 1 });
      }
      const options = { ...test.connection, workspaceId };
      const workspace = await E2BWorkspace.open(options);
      await workspace.close();
      const again = await E2BWorkspace.open(options);
      await again.destroy();
      expect(await count(workspaceId)).toBe(0);
      expect(test.emulator.faults.all).toStrictEqual([]);
    });

    it('reports a kill that fails [E23]', async () => {
      const workspaceId = randomUUID();
      make(workspaceId);
      const workspace = await E2BWorkspace.open({ ...test.connection, workspaceId });
      test.emulator.faults.add({ match: { route: 'kill' }, status: 500, times: 1 });
      await expect(workspace.destroy()).rejects.toMatchObject({
        code: 'e2b-request-failed',
        details: { operation: expect.stringContaining('kill the sandbox'), status: 500 },
      });
      await workspace.destroy();
      expect(await count(workspaceId)).toBe(0);
    });

    it('does without a renewal that failed, as long as another one works', async () => {
      const workspaceId = randomUUID();
      make(workspaceId);
      await using workspace = await E2BWorkspace.open({ ...test.connection, workspaceId, timeoutMs: 4_000 });
      test.emulator.faults.add({ match: { route: 'connect' }, status: 500, times: 1 });
      const { end } = await workspace.backend.exec(['sleep', '7']);
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
    });
  });

  describe('in a command of the bootstrap', () => {
    it('finds back to a long one whose stream was dropped, and has its result', async () => {
      const sandbox = make();
      await sandbox.start({ signal });
      // The first event gets through, and what is printed first breaks off.
      const fault = test.emulator.faults.add({
        match: { path: 'process.Process/Start' },
        drop: 'mid-stream',
        afterBytes: 60,
        times: 1,
      });
      const script = 'echo lost; read -r word; sleep 5; echo "$word"; echo problem >&2; exit 7';
      const result = await sandbox.run(['sh', '-c', script], { stdin: 'word\n' });
      expect(fault.met).toBe(1);
      expect(result).toStrictEqual({ exitCode: 7, stdout: 'word\n', stderr: 'problem\n' });
    });

    it('believes nothing of what was cut off', async () => {
      const sandbox = make();
      const fault = test.emulator.faults.add({
        match: { path: 'process.Process/Start' },
        drop: 'mid-stream',
        afterBytes: 80,
        times: 2,
      });
      expect(await sandbox.start({ signal })).toBe('created');
      expect(fault.met).toBe(2);
    });

    it('has the result of one that ended while nobody was connected', async () => {
      const sandbox = make();
      await sandbox.start({ signal });
      test.emulator.faults.add({
        match: { path: 'process.Process/Start' },
        drop: 'mid-stream',
        afterBytes: 60,
        times: 1,
      });
      test.emulator.faults.add({ match: { path: 'process.Process/Connect' }, status: 503, times: 3 });
      const { exitCode } = await sandbox.run(['sh', '-c', 'sleep 0.5; exit 7']);
      expect(exitCode).toBe(7);
    });

    it.each([429, 502, 503])('starts one that a %i kept from being started', async (status) => {
      const sandbox = make();
      await sandbox.start({ signal });
      const fault = test.emulator.faults.add({ match: { path: 'process.Process/Start' }, status, times: 2 });
      expect((await sandbox.run(['echo', 'done'])).stdout).toBe('done\n');
      expect(fault.met).toBe(2);
    });

    it('starts one anew that could not be given its stdin', async () => {
      const sandbox = make();
      await sandbox.start({ signal });
      test.emulator.faults.add({ match: { path: 'process.Process/SendInput' }, status: 502, times: 1 });
      expect((await sandbox.run(['cat'], { stdin: 'word' })).stdout).toBe('word');
    });

    it('leaves what it starts running, past every limit of its own [E02]', async () => {
      const sandbox = make();
      await sandbox.start({ signal });
      const { stdout } = await sandbox.run(['sh', '-c', 'nohup sleep 1000 >/dev/null 2>&1 & echo $!'], {
        timeoutMs: 1_500,
      });
      const { exitCode } = await sandbox.run(['sh', '-c', 'sleep 2; kill -0 "$1"', 'sh', stdout.trim()]);
      expect(exitCode).toBe(0);
    });

    it('gives up one that takes too long, and one that is not wanted any more', async () => {
      const sandbox = make();
      await sandbox.start({ signal });
      await expect(sandbox.run(['sleep', '1000'], { timeoutMs: 1_500 })).rejects.toMatchObject({
        code: 'e2b-request-failed',
        details: { reason: 'it is not done after 1500 ms' },
      });
      const abort = new AbortController();
      const running = sandbox.run(['sleep', '2000'], { signal: abort.signal });
      setTimeout(() => abort.abort(), 500);
      await expect(running).rejects.toMatchObject({ code: 'operation-aborted' });
      const left = 'cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -c "sleep [12]00[0]"';
      expect((await sandbox.run(['sh', '-c', left])).stdout).toBe('0\n');
    });

    it('reports a sandbox that vanishes under it', async () => {
      const workspaceId = randomUUID();
      const sandbox = make(workspaceId);
      await sandbox.start({ signal });
      test.emulator.faults.add({ match: { path: 'process.Process/Start' }, vanish: true, times: 1 });
      await expect(sandbox.run(['true'])).rejects.toMatchObject({ code: 'workspace-lost', details: { workspaceId } });
      expect(await count(workspaceId)).toBe(0);
    });
  });

  describe('on the way to the gateway', () => {
    async function open(options: E2BWorkspaceOptions = {}): Promise<E2BWorkspace> {
      const workspaceId = randomUUID();
      make(workspaceId);
      return E2BWorkspace.open({ ...test.connection, workspaceId, ...options });
    }

    it('tells a call whose connection broke from one that was not done', async () => {
      await using workspace = await open();
      test.emulator.faults.add({ match: { target: 'port', path: '^/exec' }, drop: 'mid-stream', times: 1 });
      await expect(workspace.backend.exec(['true'])).rejects.toMatchObject({ code: 'gateway-connection-lost' });
      expect((await workspace.backend.exec(['true'])).end).toStrictEqual({ kind: 'exited', exitCode: 0 });
    });

    it('asks again for what changes nothing', async () => {
      await using workspace = await open();
      await workspace.backend.writeFile('file', 'text');
      const fault = test.emulator.faults.add({
        match: { target: 'port', path: '^/files/stat' },
        status: 502,
        times: 1,
      });
      expect(await workspace.backend.stat('file')).toMatchObject({ kind: 'file' });
      expect(fault.met).toBe(1);
    });

    it('gives a typed error where an answer does not come in time', async () => {
      await using workspace = await open({ gateway: { deadlines: { answerMs: 1_500 } } });
      test.emulator.faults.add({ match: { target: 'port', path: '^/files/stat' }, latencyMs: 4_000, times: 1 });
      await expect(workspace.backend.stat('file')).rejects.toMatchObject({ code: 'gateway-timeout' });
      expect(await workspace.backend.stat('file')).toBeUndefined();
    });

    it('reports a sandbox that vanishes during a call', async () => {
      await using workspace = await open();
      test.emulator.faults.add({ match: { target: 'port', path: '^/exec' }, vanish: true, times: 1 });
      await expect(workspace.backend.exec(['true'])).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:workspace-lost|gateway-connection-lost)$/),
      });
      await expect(workspace.backend.exec(['true'])).rejects.toMatchObject({ code: 'workspace-lost' });
      expect(await count(workspace.workspaceId)).toBe(0);
    });

    it('brings a gateway back that died', async () => {
      await using workspace = await open();
      const pidFile = posix.join(SANDBOX_LAYOUT.own, 'gateway.pid');
      await workspace.backend.exec(['sh', '-c', `kill -KILL $(cat ${pidFile})`]).catch(() => undefined);
      await expect.poll(async () => (await workspace.backend.stat('.'))?.kind, { timeout: 20_000 }).toBe('directory');
    });
  });

  describe('with a gateway of another version', () => {
    it('uploads each version once, and replaces one that nobody is attached to', async () => {
      const workspaceId = randomUUID();
      const sandbox = make(workspaceId);
      await sandbox.start({ signal });
      const keeper = new GatewayKeeper({ sandbox, logger: silentLogger });
      await keeper.start({ signal });
      const { instance } = await keeper.client.health();
      await keeper.close();
      // As one that an earlier version of this package has left.
      const { program } = await gatewayFiles();
      const path = posix.join(SANDBOX_LAYOUT.own, 'gateway', program.name);
      const earlier = path.replace(program.name, 'gateway-0000000000000000.cjs');
      const swap = `mv "$1" "$2" && kill $(cat ${sandbox.gateway.pidFile}) && cp "$2" "$1"`;
      expect((await sandbox.run(['sh', '-c', swap, 'sh', path, earlier])).exitCode).toBe(0);
      const other = { ...sandbox.gateway, bundle: earlier };
      const old = new GatewayKeeper({ sandbox: new Proxy(sandbox, { get: from(other) }), logger: silentLogger });
      await old.start({ signal });
      const { instance: oldInstance } = await old.client.health();
      expect(oldInstance).not.toBe(instance);
      await old.close();
      await sandbox.stop();

      const again = make(workspaceId);
      const uploads = test.emulator.faults.add({ match: { path: '^/files' }, status: 500 });
      expect(await again.start({ signal })).toBe('started');
      expect(uploads.met).toBe(0);
      const now = new GatewayKeeper({ sandbox: again, logger: silentLogger });
      await now.start({ signal });
      expect((await now.client.health()).instance).not.toBe(oldInstance);
      const running = 'cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -c "gateway-000000000000000[0].cjs"';
      expect((await again.run(['sh', '-c', running])).stdout).toBe('0\n');
      await now.close();
    });
  });
});

/** A sandbox as it is, with another gateway. */
function from(gateway: E2BSandbox['gateway']): (sandbox: E2BSandbox, name: string | symbol) => unknown {
  return (sandbox, name) => {
    if (name === 'gateway') return gateway;
    const value: unknown = Reflect.get(sandbox, name, sandbox);
    return typeof value === 'function' ? (value.bind(sandbox) as unknown) : value;
  };
}
