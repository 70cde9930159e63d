import { randomUUID } from 'node:crypto';
import { access } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { LABELS } from '../src/container/labels.ts';
import { listManagedContainers, removeManagedContainer } from '../src/index.ts';
import { mountedSocketDirectory } from '../src/transport/choose-transport.ts';
import { hasDocker } from './engine.ts';
import { readText, useDocker } from './use-docker.ts';

const ODD_ID = 'a/b c@x';

describe.skipIf(!hasDocker)('the containers of a manager', () => {
  const tests = useDocker();
  const network = 'none';

  it('are listed by label, whatever an id looks like, with their age and what becomes of their data [D28] [D30]', async () => {
    const { managerId } = tests;
    const volume = `aw-test-${randomUUID()}`;
    const since = Date.now();
    try {
      await Promise.all([
        tests.open({ network, workspaceId: ODD_ID }),
        tests.open({ network, workspaceId: 'in-directory', workdir: 'listed' }),
        tests.open({ network, workspaceId: 'in-volume', volume }),
      ]);
      const odd = (await tests.containers()).find(({ labels }) => labels[LABELS.workspace] === ODD_ID);
      await tests.engine.containers.stop(odd?.id ?? '', 0);
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
    const workspace = await tests.open({ network, workspaceId: ODD_ID, workdir: 'stopped' });
    await workspace.backend.writeFile('/workspace/notes.txt', 'kept');
    const container = await tests.engine.containers.inspect(await tests.containerId());
    const socketDirectory = container && mountedSocketDirectory(container);
    const other = await tests.open({ network, workspaceId: 'another' });
    expect(socketDirectory).toContain('aw-socket-');
    await removeManagedContainer({ managerId, workspaceId: ODD_ID });
    await removeManagedContainer({ managerId, workspaceId: 'never-there' });
    expect((await listManagedContainers({ managerId })).map(({ workspaceId }) => workspaceId)).toEqual(['another']);
    await expect(access(socketDirectory ?? '')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(other.isAlive).toBe(true);
    const again = await tests.open({ network, workspaceId: ODD_ID, workdir: 'stopped' });
    expect(await readText(again, '/workspace/notes.txt')).toBe('kept');
  });
});
