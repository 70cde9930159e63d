import { randomUUID } from 'node:crypto';
import { silentLogger } from '@agent-workspace/core';
import { GatewayBackend, GatewayKeeper } from '@agent-workspace/gateway-client';
import { describeBackendContract } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { E2BSandbox } from '../src/e2b-sandbox.ts';
import { hasSandboxes, START_MS, startEmulator, type TestEmulator } from './support/emulator.ts';

/** One of many on the same gateway: it takes its attachment with it. */
class AttachedBackend extends GatewayBackend {
  readonly #keeper: GatewayKeeper;

  constructor(keeper: GatewayKeeper, { kind, workdir }: E2BSandbox) {
    super({ client: keeper.client, kind, workdir });
    this.#keeper = keeper;
  }

  override async close(): Promise<void> {
    await this.endProcesses();
    await this.#keeper.close();
  }
}

describe.skipIf(!hasSandboxes)('e2b', () => {
  const { signal } = new AbortController();
  let emulator: TestEmulator;
  let sandbox: E2BSandbox;

  beforeAll(async () => {
    emulator = await startEmulator();
    const workspaceId = randomUUID();
    sandbox = new E2BSandbox({ ...emulator.connection, workspaceId, logger: silentLogger, isInUse: () => true });
    await sandbox.start({ signal });
  }, START_MS);

  afterAll(async () => {
    await sandbox.destroy();
    await emulator[Symbol.asyncDispose]();
  });

  // One sandbox serves all tests: each is attached anew, to an empty directory.
  describeBackendContract('GatewayBackend in an E2B sandbox', {
    async create() {
      await sandbox.run(['sh', '-c', 'find "$1" -mindepth 1 -delete', 'sh', sandbox.workdir]);
      const keeper = new GatewayKeeper({ sandbox, logger: silentLogger });
      await keeper.start({ signal });
      return new AttachedBackend(keeper, sandbox);
    },
  });
});
