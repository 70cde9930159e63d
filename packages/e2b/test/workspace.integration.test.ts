import { randomUUID } from 'node:crypto';
import type { StartedBackend } from '@agent-workspace/core';
import { describeWorkspaceContract, type FixtureServerName, fixtureServerSource } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { ControlPlane } from '../src/control/control-plane.ts';
import { findAll } from '../src/control/find-sandbox.ts';
import { E2BWorkspace } from '../src/index.ts';
import { hasSandboxes, START_MS, startEmulator, type TestEmulator } from './support/emulator.ts';

const SERVERS = '/home/user/servers.mjs';

/** With the fixture servers in its sandbox. */
class FixtureWorkspace extends E2BWorkspace {
  protected override async startBackend(options: { readonly signal: AbortSignal }): Promise<StartedBackend> {
    const started = await super.startBackend(options);
    await started.backend.writeFile(SERVERS, await fixtureServerSource());
    return started;
  }
}

function fixtureServer(name: FixtureServerName, argument?: string): { command: string; args: string[] } {
  return { command: 'node', args: [SERVERS, name, ...(argument === undefined ? [] : [argument])] };
}

describe.skipIf(!hasSandboxes)('e2b', () => {
  const managerId = `test-${randomUUID()}`;
  let test: TestEmulator;

  beforeAll(async () => {
    test = await startEmulator();
  }, START_MS);

  afterAll(() => test[Symbol.asyncDispose](), START_MS);

  /** What a place is found again by: an id of the test's own, else one of an emptied sandbox, if there is any. */
  const idByPlace = new Map<string, string>();
  const emptied: string[] = [];

  async function empty(place: string, workspaceId: string): Promise<void> {
    const control = new ControlPlane(test.connection);
    const [info] = await findAll(control, { managerId, workspaceId });
    const sandbox = info && (await control.connect(info.sandboxId, 300_000));
    if (sandbox === undefined) return;
    await sandbox.commands.run('find /home/user/workspace -mindepth 1 -delete');
    if (workspaceId !== place) emptied.push(workspaceId);
  }

  describeWorkspaceContract('e2b', {
    async create(place, options) {
      const isOwn = options.workspaceId !== undefined && options.workspaceId !== place;
      if (isOwn) return new FixtureWorkspace({ ...options, ...test.connection, managerId: place });
      const workspaceId = idByPlace.get(place) ?? emptied.pop() ?? randomUUID();
      idByPlace.set(place, workspaceId);
      return new FixtureWorkspace({ ...options, ...test.connection, managerId, workspaceId });
    },
    async cleanUp(place) {
      const workspaceId = idByPlace.get(place);
      idByPlace.delete(place);
      if (workspaceId !== undefined) await empty(place, workspaceId);
      else await new E2BWorkspace({ ...test.connection, managerId: place }).destroy();
    },
    fixtureServer,
  });
});
