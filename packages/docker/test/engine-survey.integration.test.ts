import { randomUUID } from 'node:crypto';
import { access, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  buildImage,
  inspectEngine,
  listWorkspaceContainers,
  listWorkspaceImages,
  removeWorkspaceContainer,
  removeWorkspaceImage,
  type WorkspaceContainer,
} from '../src/index.ts';
import { identityLabels } from '../src/container/container-spec.ts';
import { IMAGE_LAYOUT } from '../src/image/layout.ts';
import { hasDocker } from './engine.ts';
import { useDocker } from './use-docker.ts';

describe.skipIf(!hasDocker)('what an engine has of ours', () => {
  const tests = useDocker();

  it('says which engine it is', async () => {
    const { address, version, apiVersion } = await inspectEngine();
    expect({ address, version, apiVersion }).toStrictEqual({
      address: tests.engine.address,
      version: expect.stringMatching(/^\d+\./u),
      apiVersion: tests.engine.apiVersion,
    });
  });

  it('lists a container with its state and mounts, and removes it with the directory for its socket', async () => {
    const { managerId } = tests;
    const socketDirectory = await mkdtemp(join(tmpdir(), 'aw-socket-'));
    const mounts = [
      { Type: 'bind' as const, Source: socketDirectory, Target: IMAGE_LAYOUT.socketDirectory },
      { Type: 'bind' as const, Source: tests.directory, Target: IMAGE_LAYOUT.workdir },
    ];
    // What a host leaves behind that dies in the middle of a start.
    const id = await tests.engine.containers.create(undefined, {
      Image: 'python:3.12-slim',
      Labels: identityLabels({ managerId, workspaceId: 'surveyed' }),
      HostConfig: { Mounts: mounts },
    });
    const find = async (): Promise<WorkspaceContainer | undefined> =>
      (await listWorkspaceContainers()).find((container) => container.managerId === managerId);
    expect(await find()).toStrictEqual({
      id,
      managerId,
      workspaceId: 'surveyed',
      state: 'created',
      createdAt: expect.any(Number),
      isPersistent: true,
      mountSources: expect.arrayContaining([socketDirectory, tests.directory]),
    });
    await removeWorkspaceContainer({ id });
    expect(await find()).toBeUndefined();
    await expect(access(socketDirectory)).rejects.toMatchObject({ code: 'ENOENT' });
    await access(tests.directory);
    await removeWorkspaceContainer({ id });
  });

  it('lists images, whether they are used, and removes one with all of its names', async () => {
    const user = '1239:1240';
    const name = await buildImage({ user });
    const other = `agent-workspace-test:${randomUUID()}`;
    await tests.engine.images.tag(name, other);
    const find = async () => (await listWorkspaceImages()).find(({ names }) => names.includes(name));
    const image = await find();
    expect(image).toMatchObject({ names: expect.arrayContaining([name, other]), isUsed: false });
    expect(image?.sizeBytes).toBeGreaterThan(1_000_000);
    const container = await tests.engine.containers.create(undefined, { Image: name });
    expect(await find()).toMatchObject({ isUsed: true });
    await tests.engine.containers.remove(container);
    if (image !== undefined) await removeWorkspaceImage({ image });
    expect(await find()).toBeUndefined();
    expect(await tests.engine.images.inspect(other)).toBeUndefined();
  });
});
