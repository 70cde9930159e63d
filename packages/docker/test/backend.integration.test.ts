import { randomUUID } from 'node:crypto';
import { type Backend, silentLogger } from '@agent-workspace/core';
import { GatewayBackend, GatewayKeeper } from '@agent-workspace/gateway-client';
import { describeBackendContract } from '@agent-workspace/testing';
import { describe } from 'vitest';
import { DockerSandbox } from '../src/docker-sandbox.ts';
import { hasDocker } from './engine.ts';

describe.skipIf(!hasDocker)('docker', () => {
  const managerId = `test-${randomUUID()}`;
  const opened = new Map<Backend, DockerSandbox>();

  describeBackendContract('GatewayBackend in a container', {
    outsideDirectory: '/home/agent/outside',
    async create() {
      const { signal } = new AbortController();
      const newWorkspaceId = randomUUID();
      const sandbox = new DockerSandbox({ managerId, newWorkspaceId, network: 'none', logger: silentLogger });
      await sandbox.start({ signal });
      const keeper = new GatewayKeeper({ sandbox, logger: silentLogger });
      await keeper.start({ signal });
      const backend = new GatewayBackend({ client: keeper.client, kind: sandbox.kind, workdir: sandbox.workdir });
      opened.set(backend, sandbox);
      return backend;
    },
    async destroy(backend) {
      await opened.get(backend)?.destroy();
      opened.delete(backend);
    },
  });
});
