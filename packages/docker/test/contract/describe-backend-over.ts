import { randomUUID } from 'node:crypto';
import { silentLogger } from '@agent-workspace/core';
import { GatewayBackend, GatewayKeeper } from '@agent-workspace/gateway-client';
import { describeBackendContract } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { DockerSandbox } from '../../src/docker-sandbox.ts';
import type { TransportKind } from '../../src/index.ts';
import { hasDocker } from '../engine.ts';
import { endProcessesIn, OUTSIDE_DIRECTORY, removeFilesIn } from './clean-container.ts';

/** Ends what one test has started, and leaves the connections to the next. */
class LentBackend extends GatewayBackend {
  override close(): Promise<void> {
    return this.endProcesses();
  }
}

/**
 * The backend contract over one transport. One container serves all of it: making one takes longer
 * than most of the tests, and each of them gets it with no process, and no file, of another's.
 */
export function describeBackendOver(transport: TransportKind): void {
  describe.skipIf(!hasDocker)('docker', () => {
    const { signal } = new AbortController();
    const logger = silentLogger;
    const sandbox = new DockerSandbox({
      managerId: `test-${randomUUID()}`,
      newWorkspaceId: randomUUID(),
      transport,
      network: transport === 'port' ? 'bridge' : 'none',
      logger,
    });
    let keeper: GatewayKeeper;

    beforeAll(async () => {
      await sandbox.start({ signal });
      keeper = new GatewayKeeper({ sandbox, logger, client: { connections: sandbox.connections } });
      await keeper.start({ signal });
    });

    afterAll(async () => {
      await keeper.close();
      await sandbox.destroy();
    });

    describeBackendContract(`GatewayBackend in a container, over ${transport}`, {
      outsideDirectory: OUTSIDE_DIRECTORY,
      async create() {
        return new LentBackend({ client: keeper.client, kind: sandbox.kind, workdir: sandbox.workdir });
      },
      async destroy() {
        const left = await endProcessesIn(sandbox);
        await removeFilesIn(sandbox);
        if (left !== '') throw new Error(`The backend was closed, and this ran on:\n${left}`);
      },
    });
  });
}
