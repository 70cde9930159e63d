import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LABELS } from '../src/container/labels.ts';
import { listManagedContainers, removeManagedContainer } from '../src/index.ts';
import { mountedSocketDirectory } from '../src/transport/choose-transport.ts';
import { hasDocker } from './engine.ts';
import { type DockerTests, readText, useDocker } from './use-docker.ts';

const ODD_ID = 'a/b c@x';

/** The container of a workspace whose host is gone: one that is there would bring it back. */
async function abandon(tests: DockerTests, workspaceId: string, workdir = ''): Promise<string> {
  const program = fileURLToPath(new URL('fixtures/host.ts', import.meta.url));
  const host = fork(program, [tests.managerId, workdir, workspaceId]);
  await once(host, 'message');
  host.kill('SIGKILL');
  await once(host, 'exit');
  const found = (await tests.containers()).find(({ labels }) => labels[LABELS.workspace] === workspaceId);
  if (found === undefined) throw new Error('The host has left nothing behind.');
  return found.id;
}

describe.skipIf(!hasDocker)('the containers of a manager', () => {
  const tests = useDocker();
  const network = 'none';

  it('are listed by label, whatever an id looks like, with their age and what becomes of their data [D28] [D30]', async () => {
    const { managerId } = tests;
    const volume = `aw-test-${randomUUID()}`;
    const since = Date.now();
    try {
      await Promise.all([
        abandon(tests, ODD_ID).then((id) => tests.engine.containers.stop(id, 0)),
        tests.open({ network, workspaceId: 'in-directory', workdir: 'listed' }),
        tests.open({ network, workspaceId: 'in-volume', volume }),
      ]);
      const found = await listManagedContainers({ managerId });
      const facts = found.map(({ workspaceId, isPersistent, isRunning }) => ({ workspaceId, isPersistent, isRunning }));
      expect(facts.toSorted((one, other) => one.workspaceId.localeCompare(other.workspaceId))).toEqual([
        { workspaceId: ODD_ID, isPersistent: false, isRunning: false },
        { workspaceId: 'in-directory', isPersistent: true, isRunning: true },
        { workspaceId: 'in-volume', isPersistent: true, isRunning: true },
      ]);
      for (const { createdAt } of found) {
        expect(createdAt).toBeGreaterThan(since - 1_000);
        expect(createdAt).toBeLessThanOrEqual(Date.now());
      }
      expect(await listManagedContainers({ managerId: `test-${randomUUID()}` })).toEqual([]);
    } finally {
      await tests.closeAll();
      await tests.engine.removeVolume(volume);
    }
  });

  it('are removed with their socket, and their data stay [D24]', async () => {
    const { managerId } = tests;
    const workdir = join(tests.directory, 'stopped');
    const container = await tests.engine.containers.inspect(await abandon(tests, ODD_ID, workdir));
    const socketDirectory = container && mountedSocketDirectory(container);
    const other = await tests.open({ network, workspaceId: 'another' });
    expect(socketDirectory).toContain('aw-socket-');
    await removeManagedContainer({ managerId, workspaceId: ODD_ID });
    await removeManagedContainer({ managerId, workspaceId: 'never-there' });
    expect((await listManagedContainers({ managerId })).map(({ workspaceId }) => workspaceId)).toEqual(['another']);
    await expect(access(socketDirectory ?? '')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(other.isAlive).toBe(true);
    expect(await readFile(join(workdir, 'mark'), 'utf8')).toBe('of the first host\n');
    const again = await tests.open({ workspaceId: ODD_ID, workdir: 'stopped' });
    expect(await readText(again, '/workspace/mark')).toBe('of the first host\n');
  });
});
