import { GatewayStartFailedError } from '@agent-workspace/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { haltGateway, launchGateway } from './launch-gateway.ts';
import type { Sandbox, SandboxRunOptions, SandboxRunResult } from './sandbox.ts';

/** One whose commands end with their signal, and not before. */
function hangingSandbox(failure?: Error): Sandbox {
  const gateway = { node: 'node', bundle: 'b', listen: [], adminSocket: 'a', pidFile: 'p', logFile: 'l' };
  const unused = (): never => {
    throw new Error('it is not asked for this');
  };
  return {
    kind: 'hanging',
    workdir: '/',
    isPersistent: true,
    gateway,
    start: unused,
    run: (_argv, { signal }: SandboxRunOptions = {}): Promise<SandboxRunResult> => {
      const { promise, reject } = Promise.withResolvers<SandboxRunResult>();
      const end = (): void => reject(failure ?? (signal?.reason as Error));
      if (signal?.aborted === true) end();
      else signal?.addEventListener('abort', end);
      return promise;
    },
    putFile: unused,
    connect: unused,
    stop: unused,
    destroy: unused,
  };
}

/** Every deadline is over at once. */
function endTime(): void {
  const over = AbortSignal.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(over);
}

describe('a sandbox in which a command does not end', () => {
  const command = { argv: ['launch'], stdin: '' };

  afterEach(() => void vi.restoreAllMocks());

  it('has a launch say what was waited for, and how long', async () => {
    endTime();
    await expect(launchGateway(hangingSandbox(), command)).rejects.toMatchObject({
      code: 'gateway-start-failed',
      details: { reason: expect.stringContaining('its launch in the sandbox took longer than 30000 ms') },
      cause: { name: 'TimeoutError' },
    });
  });

  it('has the end of a gateway say it, too', async () => {
    endTime();
    await expect(haltGateway(hangingSandbox())).rejects.toMatchObject({
      code: 'gateway-start-failed',
      details: { reason: expect.stringContaining('30000 ms') },
    });
  });

  it('leaves an error of the engine that has a code as it is', async () => {
    endTime();
    const failure = new GatewayStartFailedError({ reason: 'the engine knows why' });
    await expect(launchGateway(hangingSandbox(failure), command)).rejects.toBe(failure);
  });
});
