import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@agent-workspace/core';
import { describe, expect, it, vi } from 'vitest';
import { mountedSocketDirectory } from '../src/transport/choose-transport.ts';
import { hasDocker } from './engine.ts';
import { openWay } from './open-way.ts';
import { useDocker } from './use-docker.ts';

describe.skipIf(!hasDocker)('close()', () => {
  const tests = useDocker();
  const network = 'none';

  it('removes the container the next time, where the engine could not be asked', async () => {
    const { directory, engine } = tests;
    const path = join(directory, 'engine.sock');
    const cut = await openWay(path, engine);
    const workspace = await tests.open({ network, transport: 'socket', dockerHost: `unix://${path}` });
    await cut();
    // A connection that was kept may be found cut, before there is none to be had.
    const failure = { code: expect.stringMatching(/^docker-(request-failed|unavailable)$/) };
    await expect(workspace.close()).rejects.toMatchObject(failure);
    await expect(workspace.close()).rejects.toMatchObject(failure);
    expect(await tests.containers()).toHaveLength(1);
    const cutAgain = await openWay(path, engine);
    await workspace.close();
    await cutAgain();
    expect(await tests.containers()).toStrictEqual([]);
  });

  it('succeeds where what the agent left in place of the directory for the socket cannot be removed', async () => {
    const ignore = (): void => undefined;
    const warn = vi.fn<Logger['warn']>();
    const logger: Logger = { debug: ignore, info: ignore, error: ignore, warn };
    const workspace = await tests.open({ network, logger });
    const container = await tests.engine.containers.inspect(await tests.containerId());
    const directory = (container && mountedSocketDirectory(container)) ?? '';
    await access(directory);
    await rm(directory, { recursive: true });
    // Root can remove any directory; this is none.
    await writeFile(directory, '');
    try {
      await workspace.close();
      expect(await tests.containers()).toStrictEqual([]);
      const message = "Could not remove the directory for a container's socket.";
      expect(warn).toHaveBeenCalledWith(message, { directory, error: expect.objectContaining({ code: 'ENOTDIR' }) });
    } finally {
      await rm(directory);
    }
  });
});
