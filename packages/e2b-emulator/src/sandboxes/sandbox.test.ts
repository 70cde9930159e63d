import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SandboxRoot } from '../roots/sandbox-root.ts';
import { Sandbox } from './sandbox.ts';
import { SandboxStateError } from './sandbox-error.ts';
import { Templates } from './templates.ts';

const step = () => vi.fn<() => Promise<void>>(() => Promise.resolve());

/** What a root does, each of which can be made to fail. */
function createSteps() {
  return { boot: step(), pause: step(), resume: step(), stopProcesses: step(), destroy: step() };
}

describe('a sandbox', () => {
  let envd: Server;
  let steps: ReturnType<typeof createSteps>;
  let sandbox: Sandbox;
  const onKilled = vi.fn<() => void>();
  beforeEach(async () => {
    envd = createServer((request, response) => {
      request.resume();
      response.writeHead(204).end();
    });
    envd.listen(0, '127.0.0.1');
    await once(envd, 'listening');
    const { port } = envd.address() as AddressInfo;
    steps = createSteps();
    const root: SandboxRoot = {
      kind: 'process',
      connect: () => Promise.resolve(connect(port, '127.0.0.1')),
      setInternetAccess: step(),
      ...steps,
    };
    const [template] = new Templates({ base: {} }).all;
    if (template === undefined) throw new Error('There is no template.');
    onKilled.mockClear();
    sandbox = await Sandbox.start({
      sandboxId: 'i1',
      root,
      owner: { onKilled, onFailure: () => {} },
      spec: {
        template,
        timeoutMs: 60_000,
        metadata: {},
        envVars: {},
        isSecure: true,
        network: undefined,
        allowInternetAccess: undefined,
        onTimeout: 'kill',
        pauseKeepsMemory: true,
        autoResume: false,
      },
    });
  });
  afterEach(async () => {
    await sandbox.kill();
    envd.close();
  });

  it('goes on as before when it cannot be frozen', async () => {
    const { endAt } = sandbox;
    steps.pause.mockRejectedValueOnce(new Error('busy'));
    const failure = await sandbox.pause({ keepsMemory: true }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SandboxStateError);
    expect(failure).toMatchObject({ problem: 'unpausable', cause: new Error('busy') });
    expect(sandbox.state).toBe('running');
    expect(Math.abs(sandbox.endAt.getTime() - endAt.getTime())).toBeLessThan(5_000);
    await sandbox.pause({ keepsMemory: true });
    expect(sandbox.state).toBe('paused');
  });

  it('is killed when it cannot be resumed', async () => {
    await sandbox.pause({ keepsMemory: true });
    steps.resume.mockRejectedValueOnce(new Error('broken'));
    await expect(sandbox.resume({ timeoutMs: 1_000 })).rejects.toThrow('broken');
    expect([sandbox.state, onKilled.mock.calls.length]).toEqual(['killed', 1]);
    expect(steps.destroy).toHaveBeenCalledTimes(1);
  });

  it('is not destroyed before a pause in progress has ended', async () => {
    let end = (): void => {};
    steps.pause.mockReturnValueOnce(new Promise((resolve) => (end = resolve)));
    const pausing = sandbox.pause({ keepsMemory: true }).catch((error: unknown) => error);
    const killing = sandbox.kill();
    await Promise.resolve();
    expect([sandbox.state, steps.destroy.mock.calls.length]).toEqual(['killed', 0]);
    end();
    await killing;
    expect(await pausing).toMatchObject({ problem: 'gone' });
    expect(steps.destroy).toHaveBeenCalledTimes(1);
  });

  it('boots anew only where it has no memory, or is told to', async () => {
    await sandbox.pause({ keepsMemory: true });
    await sandbox.resume({ timeoutMs: 1_000 });
    expect(steps.boot).toHaveBeenCalledTimes(1);
    await sandbox.pause({ keepsMemory: true });
    await sandbox.resume({ timeoutMs: 1_000, reboots: true });
    expect([steps.boot.mock.calls.length, steps.stopProcesses.mock.calls.length]).toEqual([2, 1]);
    await sandbox.pause({ keepsMemory: false });
    await sandbox.resume({ timeoutMs: 1_000 });
    expect(steps.boot).toHaveBeenCalledTimes(3);
    expect(steps.resume).toHaveBeenCalledTimes(2);
  });

  it('cuts what goes through it when it stands still, and nothing that has ended', async () => {
    const [open, ended] = [vi.fn<() => void>(), vi.fn<() => void>()];
    sandbox.track(open);
    sandbox.track(ended)();
    await sandbox.pause({ keepsMemory: true });
    expect([open.mock.calls.length, ended.mock.calls.length]).toEqual([1, 0]);
  });
});
