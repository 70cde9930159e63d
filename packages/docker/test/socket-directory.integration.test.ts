import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ContainerSpec } from '../src/container/container-spec.ts';
import { findOrCreateContainer } from '../src/container/workspace-container.ts';
import type { DockerWorkspaceOptions } from '../src/index.ts';
import { mountedSocketDirectory } from '../src/transport/choose-transport.ts';
import { makeSocketDirectory } from '../src/transport/socket-directory.ts';
import { hasDocker } from './engine.ts';
import { shell, useDocker } from './use-docker.ts';

const isRoot = process.getuid?.() === 0;
const network = 'none';

describe.skipIf(!hasDocker)('the directory for the socket', () => {
  const tests = useDocker();

  function specOf(changes: Partial<ContainerSpec> = {}): ContainerSpec {
    return {
      managerId: tests.managerId,
      workspaceId: randomUUID(),
      image: 'python:3.12-slim',
      user: { uid: 1000, gid: 1000 },
      storage: { kind: 'container' },
      workdir: '/workspace',
      network,
      limits: {},
      socketDirectory: join(tests.directory, 'aw-socket-elsewhere'),
      ...changes,
    };
  }

  async function socketDirectory(id: string): Promise<string | undefined> {
    const container = await tests.engine.containers.inspect(id);
    return container && mountedSocketDirectory(container);
  }

  it('goes with a container that is replaced', async () => {
    const path = join(tests.directory, 'replaced');
    await mkdir(path);
    const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const directory = await makeSocketDirectory(user);
    const spec = specOf({ storage: { kind: 'directory', path }, user, socketDirectory: directory });
    const { container } = await findOrCreateContainer(tests.engine, spec);
    await tests.engine.containers.stop(container.id, 0);
    const changed = { ...spec, limits: { pids: 77 }, socketDirectory: undefined };
    expect(await findOrCreateContainer(tests.engine, changed)).toMatchObject({ how: 'created' });
    await expect(stat(directory ?? '')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  describe('of a container that was stopped, and gone with a reboot', () => {
    /** @returns what it was */
    async function lose(id: string): Promise<string> {
      await tests.engine.containers.stop(id, 0);
      const directory = (await socketDirectory(id)) ?? '';
      expect(directory).toContain('aw-socket-');
      await rm(directory, { recursive: true });
      return directory;
    }

    it('is made again, as it was, by the next one to open the workspace', async () => {
      const options: DockerWorkspaceOptions = { network, transport: 'socket', workspaceId: randomUUID() };
      const workspace = await tests.open(options);
      await workspace.backend.writeFile('/workspace/a', 'kept');
      const id = await tests.containerId();
      const before = await stat((await socketDirectory(id)) ?? '');
      const directory = await lose(id);
      const again = await tests.open(options);
      expect(await shell(again, 'cat a')).toBe('kept');
      expect(await tests.containerId()).toBe(id);
      const { uid, gid, mode } = await stat(directory);
      expect({ uid, gid, mode }).toStrictEqual({ uid: before.uid, gid: before.gid, mode: before.mode });
    });

    it('is made again by the next call of a workspace that is open', async () => {
      const workspace = await tests.open({ network, workdir: 'rebooted', transport: 'socket' });
      await workspace.backend.writeFile('/workspace/a', 'kept');
      await lose(await tests.containerId());
      await expect.poll(() => shell(workspace, 'cat a').catch(String), { timeout: 60_000 }).toBe('kept');
    });
  });

  describe('that the engine does not see', () => {
    it('is left out, and the container is found again as what was asked for', async () => {
      const path = join(tests.directory, 'seen');
      await mkdir(path);
      const spec = specOf({ storage: { kind: 'directory', path } });
      const made = await findOrCreateContainer(tests.engine, spec);
      expect(made.how).toBe('created');
      expect(made.container.mounts.map(({ source }) => source)).toStrictEqual([path]);
      const { id } = made.container;
      expect(await findOrCreateContainer(tests.engine, spec)).toMatchObject({ how: 'found', isOutdated: false });
      await tests.engine.containers.stop(id, 0);
      expect(await findOrCreateContainer(tests.engine, spec)).toMatchObject({ how: 'started', container: { id } });
    });

    it('is what is told where nothing else will do', async () => {
      const spec = specOf({ needsSocket: true });
      await expect(findOrCreateContainer(tests.engine, spec)).rejects.toMatchObject({
        code: 'docker-options-invalid',
        details: { option: 'transport', reason: expect.stringContaining(spec.socketDirectory ?? '') },
      });
      expect(await tests.containers()).toStrictEqual([]);
    });

    it('is not taken for the workdir, nor the workdir for it', async () => {
      const path = join(tests.directory, 'not-there');
      await expect(
        findOrCreateContainer(tests.engine, specOf({ storage: { kind: 'directory', path } })),
      ).rejects.toMatchObject({ code: 'workdir-not-shared', details: { workdir: path } });
    });

    it.skipIf(!isRoot)('since the host has a /tmp of its own: commands carry what is asked', async () => {
      const own = join(tests.directory, 'own-tmp');
      await mkdir(own);
      const host = fileURLToPath(new URL('fixtures/own-tmp-host.ts', import.meta.url));
      const script = 'mount -t tmpfs tmpfs "$0" && exec "$@"';
      const argv = ['--mount', 'sh', '-c', script, own, process.execPath, host, tests.managerId];
      const { stdout } = await promisify(execFile)('unshare', argv, { env: { ...process.env, TMPDIR: own } });
      expect(JSON.parse(stdout)).toStrictEqual({
        said: 'hello\n',
        left: [],
        refused: { code: 'docker-options-invalid', option: 'transport' },
      });
    });
  });
});
