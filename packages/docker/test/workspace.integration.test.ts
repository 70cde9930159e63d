import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWorkspaceContract } from '@agent-workspace/testing';
import { afterAll, describe } from 'vitest';
import { DockerEngine } from '../src/engine/docker-engine.ts';
import { DockerWorkspace } from '../src/index.ts';
import { hasDocker } from './engine.ts';
import { ensureFixtureImage, fixtureServer } from './fixture-image.ts';

/** The contract's `destroy()` means the data, and those of a directory go only where that is said. */
class WholeDockerWorkspace extends DockerWorkspace {
  override async destroy(): Promise<void> {
    await super.destroy({ workdir: true });
  }
}

describe.skipIf(!hasDocker)('docker', async () => {
  const managerId = `test-${randomUUID()}`;
  const places = await mkdtemp(join(tmpdir(), 'aw-docker-contract-'));
  const baseImage = hasDocker ? await ensureFixtureImage(await DockerEngine.connect()) : undefined;

  describeWorkspaceContract('docker', {
    create: async (place, options) =>
      new WholeDockerWorkspace({ ...options, managerId, baseImage, workdir: join(places, place) }),
    cleanUp: (place) => rm(join(places, place), { recursive: true, force: true }),
    fixtureServer,
  });

  afterAll(() => rm(places, { recursive: true, force: true }));
});
