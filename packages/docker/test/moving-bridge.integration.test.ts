import { randomUUID } from 'node:crypto';
import { silentLogger } from '@agent-workspace/core';
import { GatewayBackend, GatewayKeeper } from '@agent-workspace/gateway-client';
import { describe, expect, it } from 'vitest';
import { DockerSandbox } from '../src/docker-sandbox.ts';
import { hasDocker } from './engine.ts';
import { MovingBridge, whyNoBridge } from './moving-bridge.ts';
import { useDocker } from './use-docker.ts';

const whyNot = hasDocker ? await whyNoBridge() : 'there is no engine';
if (whyNot !== undefined) console.warn(`Skipping a bridge whose address changes: ${whyNot}.`);

describe.skipIf(whyNot !== undefined)('a bridge whose address changes', () => {
  const tests = useDocker();
  const { signal } = new AbortController();
  const logger = silentLogger;

  it('keeps no answer from a host that asks whether the gateway is there', async () => {
    await using bridge = await MovingBridge.make(tests.docker);
    const { managerId } = tests;
    const { network } = bridge;
    const sandbox = new DockerSandbox({
      managerId,
      newWorkspaceId: randomUUID(),
      transport: 'port',
      network,
      logger,
    });
    await sandbox.start({ signal });
    const keeper = new GatewayKeeper({ sandbox, logger, client: { deadlines: { patienceMs: 500 } } });
    try {
      await keeper.start({ signal });
      const backend = new GatewayBackend({ client: keeper.client, kind: sandbox.kind, workdir: sandbox.workdir });
      const begun = Promise.withResolvers<void>();
      const wait = 'echo begun; until [ -e go ]; do sleep 0.05; done; echo done';
      const running = backend.exec(['sh', '-c', wait], { onOutput: () => begun.resolve() });
      await begun.promise;
      const address = await bridge.address();
      await bridge.move();
      expect(await bridge.address()).not.toBe(address);
      // Past the bridge.
      await sandbox.run(['touch', 'go']);
      const { stdout } = await running;
      expect(Buffer.from(stdout.head).toString()).toBe('begun\ndone\n');
    } finally {
      await keeper.close();
      await sandbox.destroy();
    }
  });
});
