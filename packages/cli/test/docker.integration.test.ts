import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import {
  buildImage,
  inspectEngine,
  listWorkspaceContainers,
  listWorkspaceImages,
  removeManagedContainer,
  removeWorkspaceImage,
} from '@agent-workspace/docker';
import { requireEngine, TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it, vi } from 'vitest';
import { MAIN, runCommandLine } from './support/run-command-line.ts';
import { StdioProcess } from './support/stdio-process.ts';

/** A program that has a workspace open. */
const HOST = fileURLToPath(new URL('fixtures/docker-host.ts', import.meta.url));

const hasDocker: boolean = await requireEngine('docker', () => inspectEngine());

/** As which nobody has run yet, so that its image is still to be built. */
function freshUser(): string {
  const uid = process.getuid?.() || 1_000;
  return `${uid}:${randomInt(20_000, 60_000)}`;
}

describe.skipIf(!hasDocker)('with Docker', () => {
  it('answers at once with an image still to build, and tells of the build in the first call', async () => {
    await using directory = await TemporaryDirectory.create();
    const user = freshUser();
    const workdir = directory.at('w');
    const args = ['mcp', '--backend', 'docker', '--workdir', workdir, '--user', user, '--network', 'none'];
    await using server = new StdioProcess([process.execPath, MAIN, ...args]);
    try {
      const { result } = await server.initialize();
      expect(result?.['instructions']).toContain('(docker) in /workspace.');
      server.send({ id: 1, method: 'tools/list' });
      expect((await server.answerTo(1)).result?.['tools']).toHaveLength(6);
      const mounting = async () =>
        (await listWorkspaceContainers()).filter(({ mountSources }) => mountSources.includes(workdir));
      // Nothing has begun: no build is told of, and there is no container.
      expect(server.stderr).toBe('');
      expect(await mounting()).toStrictEqual([]);

      const call = { name: 'Bash', arguments: { command: 'pwd; id -g' }, _meta: { progressToken: 'build' } };
      server.send({ id: 2, method: 'tools/call', params: call });
      await vi.waitFor(() => expect(server.stderr).toMatch(/Step \d+\/\d+ : /u), 60_000);
      server.send({ id: 3, method: 'ping' });
      await server.answerTo(3);
      const answer = await vi.waitUntil(() => server.answers.find(({ id }) => id === 2), { timeout: 120_000 });
      expect(answer.result).toMatchObject({ content: [{ type: 'text', text: `/workspace\n${user.split(':')[1]}\n` }] });
      const news = server.answers.filter(({ method }) => method === 'notifications/progress');
      expect(JSON.stringify(news)).toMatch(/Step \d+\/\d+ : /u);
      expect(await mounting()).toMatchObject([{ state: 'running', managerId: 'standalone', isPersistent: true }]);

      const listed = await runCommandLine(['ls', '--json', directory.path]);
      const { workspaces } = JSON.parse(listed.stdout) as {
        readonly workspaces: readonly { readonly workspaceId: string }[];
      };
      const [own] = workspaces;
      expect(workspaces.filter(({ workspaceId }) => workspaceId === own?.workspaceId)).toMatchObject([
        { kind: 'directory', where: workdir },
        { kind: 'container', state: 'running', managerId: 'standalone' },
      ]);

      server.child.stdin.end();
      expect((await server.exited).code).toBe(0);
      expect(await mounting()).toStrictEqual([]);
    } finally {
      await removeImage(await buildImage({ user }));
    }
  }, 240_000);

  it('builds the image ahead, telling each step in a line', async () => {
    const user = freshUser();
    const { exitCode, stdout, stderr } = await runCommandLine(['image', '--user', user]);
    try {
      expect(exitCode, stderr).toBe(0);
      expect(stdout).toMatch(/^agent-workspace:[\da-f]{32}\n$/u);
      expect(stderr).toMatch(/^Step 1\/\d+ : FROM /mu);
      const again = await runCommandLine(['image', '--user', user]);
      expect(again).toStrictEqual({ exitCode: 0, stdout, stderr: '' });
      const shown = await runCommandLine(['image', '--user', user, '--dockerfile']);
      expect(shown.stdout).toContain(`USER ${user}`);
    } finally {
      await removeImage(stdout.trim());
    }
  });

  it('says what gc would remove, and removes it with --force alone', async () => {
    await using directory = await TemporaryDirectory.create();
    const managerId = `test-${randomUUID()}`;
    await using host = new StdioProcess([process.execPath, HOST, managerId, directory.at('w')]);
    const workspaceId = await vi.waitUntil(() => /^(?<id>\S+)\n/u.exec(host.stdout)?.groups?.['id'], {
      timeout: 50_000,
    });
    try {
      const find = async () => (await listWorkspaceContainers()).find((container) => container.managerId === managerId);
      const { id = '' } = (await find()) ?? {};
      const gc = async (...args: readonly string[]): Promise<unknown> => {
        const only = ['--only', 'containers', '--older-than', '0', '--manager', managerId];
        const { exitCode, stdout, stderr } = await runCommandLine(['gc', '--json', ...only, ...args]);
        expect(exitCode, stderr).toBe(0);
        return JSON.parse(stdout);
      };
      expect(await gc('--force')).toStrictEqual({ removed: [], kept: [], problems: [] });

      // The host dies, and then the container, as when a machine is started again.
      host.child.kill('SIGKILL');
      await host.exited;
      await stopContainer(id);
      const what = [`container ${id.slice(0, 12)} (exited) of the workspace ${workspaceId}`];
      expect(await gc()).toStrictEqual({ wouldRemove: what, kept: [], problems: [] });
      expect(await find()).toMatchObject({ state: 'exited' });
      expect(await gc('--force')).toStrictEqual({ removed: what, kept: [], problems: [] });
      expect(await find()).toBeUndefined();
      await access(directory.at('w/.workspace/state.json'));
    } finally {
      host.child.kill('SIGKILL');
      await host.exited;
      await removeManagedContainer({ managerId, workspaceId });
    }
  }, 120_000);

  it('removes directories for sockets that no container has mounted, and nothing that only looks like one', async () => {
    await using directory = await TemporaryDirectory.create({
      'aw-socket-stale/gateway.sock': '',
      'aw-socket-file': '',
      'other/kept': '',
      'aw-socket-link': { link: 'other' },
    });
    const args = ['gc', '--only', 'sockets', '--older-than', '0'];
    const env = { TMPDIR: directory.path };
    const dry = await runCommandLine(args, { env });
    expect(dry.stdout).toBe(
      `Would remove directory ${directory.at('aw-socket-stale')}\nNothing was removed. Add --force to remove it.\n`,
    );
    expect((await runCommandLine([...args, '--force'], { env })).exitCode).toBe(0);
    expect(await directory.names()).toStrictEqual(['aw-socket-file', 'aw-socket-link', 'other']);
    await access(directory.at('other/kept'));
  });
});

/** Ends a container as a crash does: behind the back of the host. */
async function stopContainer(id: string): Promise<void> {
  const { address } = await inspectEngine();
  const socketPath = address.replace(/^unix:\/\//u, '');
  const sent = request({ socketPath, method: 'POST', path: `/containers/${id}/stop?t=0` }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(204);
}

async function removeImage(name: string): Promise<void> {
  const image = (await listWorkspaceImages()).find(({ names }) => names.includes(name));
  if (image !== undefined) await removeWorkspaceImage({ image });
}
