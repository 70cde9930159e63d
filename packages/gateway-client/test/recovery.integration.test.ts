import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type WorkspaceEvent, WorkspaceLostError } from '@agent-workspace/core';
import { fixtureServer } from '@agent-workspace/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayClient, type SandboxRunOptions, type SandboxRunResult, type SandboxStart } from '../src/index.ts';
import { launchCommand, launchGateway, putGatewayFiles } from '../src/sandbox/launch-gateway.ts';
import { ProcessSandbox, ProcessWorkspace } from './engine/process-workspace.ts';
import { bundle, bundleOf } from './gateway-files.ts';
import { echo, runs, useGateway, type WatchedSandbox } from './support/gateway-tests.ts';

const tests = useGateway();

describe('a gateway that dies', () => {
  it('is back within two seconds, with the files as they were', async () => {
    const workspace = await tests.open();
    await workspace.backend.writeFile('a.txt', 'kept');
    const away: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const before = await tests.gatewayPid();
      await tests.killGateway();
      const killedAt = performance.now();
      expect(await echo(workspace, 'again')).toBe('again');
      away.push(performance.now() - killedAt);
      expect(await tests.gatewayPid()).not.toBe(before);
    }
    // The quickest tells of the gateway, and not of what else the machine does.
    expect(Math.min(...away)).toBeLessThan(2_000);
    expect(Buffer.from((await workspace.backend.readFile('a.txt')).bytes).toString()).toBe('kept');
  });

  it('is started again though nobody asks for anything', async () => {
    await tests.open();
    const before = await tests.gatewayPid();
    await tests.killGateway();
    await expect.poll(() => tests.gatewayPid(), { timeout: 20_000 }).not.toBe(before);
    await expect.poll(async () => runs(await tests.gatewayPid())).toBe(true);
  });

  it('fails the command in flight, which is not run again', async () => {
    const workspace = await tests.open();
    const running = workspace.backend.exec(['sh', '-c', 'echo x >>runs; sleep 30']);
    await expect.poll(() => workspace.backend.stat('runs')).toBeDefined();
    const outcome = running.then(
      () => 'a result',
      (error: { code: string }) => error.code,
    );
    await tests.killGateway();
    expect(await outcome).toBe('gateway-connection-lost');
    expect(Buffer.from((await workspace.backend.readFile('runs')).bytes).toString()).toBe('x\n');
  });

  it('leaves background commands running, and their end is seen', async () => {
    const workspace = await tests.open();
    const background = await workspace.backend.startBackground([
      'sh',
      '-c',
      'until [ -e go ]; do sleep 0.05; done; echo done',
    ]);
    const waiting = background.wait();
    await tests.killGateway();
    await workspace.backend.writeFile('go', '');
    expect(await waiting).toEqual({ kind: 'exited', exitCode: 0 });
    const { bytes } = await workspace.backend.readFile(background.logPath);
    expect(Buffer.from(bytes).toString()).toBe('done\n');
  });

  it('ends a stateful session with mcp-session-lost, once; the server is registered again from memory', async () => {
    const events: WorkspaceEvent[] = [];
    const workspace = await tests.open({
      defaultMcps: [{ name: 'echo', ...fixtureServer('echo') }],
      onEvent: (event) => events.push(event),
    });
    const [client] = await workspace.listMcps();
    const count = async (): Promise<unknown> => (await client?.callTool('counter', {}))?.content[0]?.['text'];
    expect(await count()).toBe('1');
    expect(await count()).toBe('2');
    await tests.killGateway();
    await expect(count()).rejects.toMatchObject({ code: 'mcp-session-lost' });
    expect(await count()).toBe('1');
    expect(client?.state.kind).toBe('connected');
  });

  it('fails a call in flight of a stateful server, which is not repeated', async () => {
    const workspace = await tests.open({ defaultMcps: [{ name: 'echo', ...fixtureServer('echo') }] });
    const [client] = await workspace.listMcps();
    const tools = (await client?.listTools()) ?? [];
    expect(tools.map(({ toolName }) => toolName)).toContain('sleep');
    const call = client?.callTool('sleep', { ms: 20_000 }).then(
      () => 'a result',
      (error: { code: string }) => error.code,
    );
    await expect.poll(() => client?.state.kind).toBe('connected');
    await tests.killGateway();
    expect(await call).toBe('mcp-session-lost');
  });

  it('is ended and replaced where it hangs', async () => {
    const workspace = await tests.open({ gateway: { deadlines: { connectMs: 200, answerMs: 500 } } });
    const hung = await tests.gatewayPid();
    process.kill(hung, 'SIGSTOP');
    await expect(workspace.backend.stat('a')).rejects.toMatchObject({ code: 'gateway-timeout' });
    await expect.poll(() => runs(hung), { timeout: 20_000 }).toBe(false);
    expect(await echo(workspace, 'back')).toBe('back');
  });

  it('takes both of its hosts back', async () => {
    const one = await tests.open();
    const two = await tests.open();
    await tests.killGateway();
    expect(await Promise.all([echo(one, 'one'), echo(two, 'two')])).toEqual(['one', 'two']);
    const client = new GatewayClient({ connect: tests.sandbox().connect, token: () => 'x'.repeat(43) });
    await expect(client.health()).rejects.toMatchObject({ code: 'gateway-unauthorized' });
    await client.close();
    await one.close();
    expect(await echo(two, 'goes on')).toBe('goes on');
  });

  it('is given up when it dies again and again', async () => {
    const workspace = await tests.open();
    let failure: unknown;
    for (let kills = 0; kills < 10 && failure === undefined; kills++) {
      await tests.killGateway();
      failure = await echo(workspace, 'x').then(
        () => undefined,
        (error: unknown) => error,
      );
    }
    expect(failure).toMatchObject({ code: 'gateway-unstable', details: { restarts: 5, withinMs: 60_000 } });
    expect(workspace.isAlive).toBe(false);
    await expect(echo(workspace, 'x')).rejects.toMatchObject({ code: 'gateway-unstable' });
  });
});

/** One that stops, as a container does that is killed, and may be gone with its files. */
class StoppingSandbox extends ProcessSandbox {
  isStopped = false;
  isRemoved = false;
  starts = 0;
  /** Of the last start. */
  signal: AbortSignal | undefined;

  override async start(options?: { readonly signal: AbortSignal }): Promise<SandboxStart> {
    this.signal = options?.signal;
    if (this.isRemoved) throw new WorkspaceLostError({ workspaceId: 'x', reason: 'it was removed' });
    this.isStopped = false;
    this.starts += 1;
    return super.start();
  }

  override run(argv: readonly string[], options?: SandboxRunOptions): Promise<SandboxRunResult> {
    return this.isStopped ? Promise.reject(new Error('it does not run')) : super.run(argv, options);
  }

  isRunning(): Promise<boolean> {
    return Promise.resolve(!this.isStopped);
  }
}

describe('a sandbox that stops', () => {
  let stopping: StoppingSandbox;

  class StoppingWorkspace extends ProcessWorkspace {
    protected override createSandbox(): ProcessSandbox {
      return stopping;
    }
  }

  beforeEach(() => void (stopping = new StoppingSandbox({ directory: tests.directory, bundle })));

  async function openAndStop(): Promise<ProcessWorkspace> {
    const workspace = await tests.initialize(new StoppingWorkspace({ directory: tests.directory, bundle }));
    await workspace.backend.writeFile('kept.txt', 'kept');
    stopping.isStopped = true;
    await tests.killGateway();
    return workspace;
  }

  it('is started again for the next call, with its files as they were', async () => {
    const workspace = await openAndStop();
    expect(Buffer.from((await workspace.backend.readFile('kept.txt')).bytes).toString()).toBe('kept');
    expect([stopping.starts, workspace.isAlive]).toEqual([2, true]);
  });

  it('is lost where its files are gone with it, and never replaced by an empty one', async () => {
    const workspace = await openAndStop();
    stopping.isRemoved = true;
    await expect(workspace.backend.readFile('kept.txt')).rejects.toMatchObject({ code: 'workspace-lost' });
    expect(workspace.isAlive).toBe(false);
    await expect(echo(workspace, 'x')).rejects.toMatchObject({ code: 'workspace-lost' });
    await workspace.close();
  });

  it('has more time to start than its engine takes to say why it does not', async () => {
    const workspace = await openAndStop();
    Object.assign(stopping, { startTimeoutMs: 300_000 });
    const deadlines = vi.spyOn(AbortSignal, 'timeout');
    expect(await echo(workspace, 'back')).toBe('back');
    const given = deadlines.mock.results.findIndex(({ value }) => value === stopping.signal);
    expect(deadlines.mock.calls[given]?.[0]).toBeGreaterThan(300_000);
    deadlines.mockRestore();
  });

  it('is not alive as long as it cannot be started, and alive again when it can', async () => {
    const workspace = await openAndStop();
    const start = vi.spyOn(stopping, 'start').mockRejectedValue(new Error('the engine does not answer'));
    await expect(echo(workspace, 'x')).rejects.toMatchObject({ code: 'gateway-unreachable', isRetryable: true });
    expect(workspace.isAlive).toBe(false);
    start.mockRestore();
    expect(await echo(workspace, 'back')).toBe('back');
    expect(workspace.isAlive).toBe(true);
  });
});

describe('a sandbox that cannot be stopped', () => {
  it('[K12] has a close() and a destroy() say so, each time until it can', async () => {
    const workspace = await tests.open();
    const pid = await tests.gatewayPid();
    const watched = workspace.watched as WatchedSandbox;
    const stop = vi.spyOn(watched, 'stop').mockRejectedValue(new Error('the engine refuses'));
    await expect(Promise.all([workspace.close(), workspace.close()])).rejects.toThrow('the engine refuses');
    expect(stop).toHaveBeenCalledTimes(1);
    await expect(workspace.close()).rejects.toThrow('the engine refuses');
    await expect(workspace.destroy()).rejects.toThrow('the engine refuses');
    await expect(workspace.initialize()).rejects.toMatchObject({ code: 'workspace-closed' });
    expect(stop).toHaveBeenCalledTimes(3);
    stop.mockRestore();
    await workspace.close();
    expect(workspace.status).toBe('closed');
    expect(await runs(pid)).toBe(false);
    stop.mockClear();
    await workspace.close();
    expect(stop).not.toHaveBeenCalled();
  });
});

describe('a gateway that does not start', () => {
  it('says why, and what was made for it is removed again', async () => {
    const broken = join(tests.parent, 'broken.mjs');
    await writeFile(broken, 'process.stderr.write("no room for a gateway\\n"); process.exit(3);');
    await expect(tests.open({ bundle: await bundleOf(broken) })).rejects.toMatchObject({
      code: 'gateway-start-failed',
      details: { output: expect.stringContaining('no room for a gateway') },
    });
    await expect(readFile(tests.directory)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a gateway of another protocol', () => {
  const other = fileURLToPath(new URL('other-gateway.mjs', import.meta.url));

  it('is replaced where nobody else is attached', async () => {
    await expect(tests.open({ bundle: await bundleOf(other) })).rejects.toMatchObject({
      code: 'gateway-version-conflict',
    });
    const workspace = await tests.open();
    expect(await echo(workspace, 'replaced')).toBe('replaced');
  });

  it('is a conflict, and left alone, where others are attached', async () => {
    const theirs = new ProcessSandbox({ directory: tests.directory, bundle: await bundleOf(other) });
    await theirs.start();
    await putGatewayFiles(theirs);
    for (const attachmentId of ['a', 'b']) {
      await launchGateway(theirs, launchCommand(theirs, { attachmentId, token: 'x'.repeat(43), ttlMs: 60_000 }));
    }
    const pid = await tests.gatewayPid();
    await expect(tests.open()).rejects.toMatchObject({
      code: 'gateway-version-conflict',
      details: { accepted: [1], found: 99 },
    });
    expect(await runs(pid)).toBe(true);
  });
});
