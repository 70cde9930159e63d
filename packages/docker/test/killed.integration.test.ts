import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFixtureSkill } from '@agent-workspace/testing';
import { describe, expect, it } from 'vitest';
import { LABELS } from '../src/container/labels.ts';
import type { DockerWorkspace } from '../src/index.ts';
import { hasDocker } from './engine.ts';
import { ensureFixtureImage, fixtureServer } from './fixture-image.ts';
import { openWay } from './open-way.ts';
import { outcomeOf, readText, shell, useDocker } from './use-docker.ts';

/** What a call that was in flight may end with when what it was asked of is gone. */
const LOST = /^gateway-(connection-lost|unreachable|timeout)$/;
const SLOW = { timeout: 120_000 };

describe.skipIf(!hasDocker)('killed on purpose', () => {
  const tests = useDocker();

  /** A command that runs until it is killed, once it has begun. */
  async function begin(workspace: DockerWorkspace): Promise<{ readonly ended: ReturnType<typeof outcomeOf> }> {
    const begun = Promise.withResolvers<void>();
    const running = workspace.backend.exec(['sh', '-c', 'echo x >>runs; echo begun; sleep 60'], {
      onOutput: () => begun.resolve(),
    });
    const ended = outcomeOf(running);
    await Promise.race([begun.promise, ended]);
    return { ended };
  }

  async function runsIn(id: string, pid: number): Promise<boolean> {
    const state = await tests.inside(id, `sed -n 's/.*) \\([A-Z]\\) .*/\\1/p' /proc/${pid}/stat 2>/dev/null; true`);
    return !['', 'Z'].includes(state.trim());
  }

  describe('the gateway', () => {
    it('is back within two seconds, and what ran in the background lives on', async () => {
      const workspace = await tests.open({ workdir: 'gateway' });
      const id = await tests.containerId();
      await workspace.backend.writeFile('/workspace/a', 'kept');
      const script = 'echo begun; until [ -e go ]; do sleep 0.05; done; echo done';
      const background = await workspace.backend.startBackground(['sh', '-c', script]);
      const away: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const before = await tests.gatewayPid(id);
        await tests.killGateway(id);
        const killedAt = performance.now();
        expect(await shell(workspace, 'cat a')).toBe('kept');
        away.push(performance.now() - killedAt);
        expect(await tests.gatewayPid(id)).not.toBe(before);
      }
      // The quickest tells of the gateway, and not of what else the machine does.
      expect(Math.min(...away)).toBeLessThan(2_000);
      expect(await runsIn(id, background.pid)).toBe(true);
      await workspace.backend.writeFile('/workspace/go', '');
      expect(await background.wait()).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect(await readText(workspace, background.logPath)).toBe('begun\ndone\n');
    });

    it('fails the command in flight, which is not run again', async () => {
      const workspace = await tests.open();
      const outcome = await begin(workspace);
      await tests.killGateway(await tests.containerId());
      expect((await outcome.ended).code).toBe('gateway-connection-lost');
      expect(await shell(workspace, 'cat runs')).toBe('x\n');
    });

    it('is given up when it is killed again and again', SLOW, async () => {
      const workspace = await tests.open();
      const id = await tests.containerId();
      let code = 'no error';
      for (let kills = 0; kills < 10 && code !== 'gateway-unstable'; kills += 1) {
        await tests.killGateway(id);
        ({ code } = await outcomeOf(shell(workspace, 'true')));
      }
      expect(code).toBe('gateway-unstable');
      expect(workspace.isAlive).toBe(false);
      await expect(workspace.backend.stat('/workspace')).rejects.toMatchObject({
        code: 'gateway-unstable',
        details: { restarts: 5, withinMs: 60_000 },
      });
    });
  });

  describe('an MCP server', () => {
    it('is started again by the next call, and its children do not outlive it', async () => {
      const workspace = await tests.open({
        network: 'none',
        baseImage: await ensureFixtureImage(tests.engine),
        defaultMcps: [{ name: 'parent', ...fixtureServer('spawns-children') }],
      });
      const id = await tests.containerId();
      const [client] = await workspace.listMcps();
      const spawned = await client?.callTool('spawn', {});
      const children = JSON.parse(String(spawned?.content[0]?.['text'])) as number[];
      expect(children).toHaveLength(2);
      const pid = client?.state.kind === 'connected' ? (client.state.pid ?? 0) : 0;
      expect(await runsIn(id, pid)).toBe(true);
      await tests.inside(id, `kill -KILL ${pid}`);
      for (const process of [pid, ...children]) {
        await expect.poll(() => runsIn(id, process), { timeout: 20_000 }).toBe(false);
      }
      await expect
        .poll(() => client?.callTool('spawn', {}).catch(String), { timeout: 20_000 })
        .toMatchObject({ content: [{ type: 'text' }] });
    });

    it('fails the call in flight', async () => {
      const workspace = await tests.open({
        network: 'none',
        baseImage: await ensureFixtureImage(tests.engine),
        defaultMcps: [{ name: 'echo', ...fixtureServer('echo') }],
      });
      const [client] = await workspace.listMcps();
      const begun = Promise.withResolvers<void>();
      const call = client?.callTool('progress', { times: 600, everyMs: 100 }, { onProgress: () => begun.resolve() });
      const outcome = outcomeOf(call ?? Promise.resolve());
      await begun.promise;
      const pid = client?.state.kind === 'connected' ? client.state.pid : undefined;
      await tests.inside(await tests.containerId(), `kill -KILL ${pid}`);
      expect((await outcome).code).toMatch(/^mcp-(server-exited|session-lost)$/);
    });
  });

  describe('the container', () => {
    it.each(['socket', 'exec', 'port'] as const)(
      'by docker kill, over %s: nothing in the workdir is lost',
      SLOW,
      async (transport) => {
        const workspace = await tests.open({ workdir: `kill-${transport}`, transport });
        const id = await tests.containerId();
        await workspace.backend.writeFile('/workspace/a', 'kept');
        const outcome = await begin(workspace);
        await tests.docker.getContainer(id).kill();
        expect((await outcome.ended).code).toMatch(LOST);
        await expect.poll(() => shell(workspace, 'cat a runs').catch(String), { timeout: 60_000 }).toBe('keptx\n');
      },
    );

    it('by docker rm -f: the workspace opened anew has all that was in its workdir', SLOW, async () => {
      const workspace = await tests.open({ workdir: 'removed' });
      const id = await tests.containerId();
      await workspace.backend.writeFile('/workspace/a', 'kept');
      const outcome = await begin(workspace);
      await tests.docker.getContainer(id).remove({ force: true });
      expect((await outcome.ended).code).toMatch(LOST);
      await expect.poll(() => shell(workspace, 'cat a').catch(String), { timeout: 60_000 }).toBe('kept');
      await workspace.close();
      const again = await tests.open({ workdir: 'removed' });
      expect(await shell(again, 'cat a runs')).toBe('keptx\n');
    });

    it('by docker rm -f, with a volume: nothing in it is lost', SLOW, async () => {
      const volume = `aw-test-${randomUUID()}`;
      const workspace = await tests.open({ volume });
      await workspace.backend.writeFile('/workspace/a', 'kept');
      await tests.docker.getContainer(await tests.containerId()).remove({ force: true });
      await expect.poll(() => shell(workspace, 'cat a').catch(String), { timeout: 60_000 }).toBe('kept');
      await workspace.destroy();
      expect(await tests.engine.hasVolume(volume)).toBe(false);
    });

    it.each(['volume', 'workdir'] as const)(
      'by docker rm -f, as well as its %s: it is lost, and never an empty one instead',
      SLOW,
      async (kind) => {
        const volume = `aw-test-${randomUUID()}`;
        const workdir = join(tests.directory, 'lost');
        const path = join(tests.directory, `${kind}.sock`);
        const cut = await openWay(path, tests.engine);
        const options = { dockerHost: `unix://${path}`, transport: 'socket' } as const;
        const workspace = await tests.open({ ...options, ...(kind === 'volume' ? { volume } : { workdir: 'lost' }) });
        await workspace.backend.writeFile('/workspace/a', 'lost');
        const id = await tests.containerId();
        // What is left of the two meanwhile would have it made anew.
        await cut();
        await tests.docker.getContainer(id).remove({ force: true });
        if (kind === 'workdir') await rm(workdir, { recursive: true });
        else await tests.docker.getVolume(volume).remove();
        const cutAgain = await openWay(path, tests.engine);
        await expect
          .poll(() => outcomeOf(workspace.backend.stat('/workspace')).then(({ code }) => code), { timeout: 60_000 })
          .toBe('workspace-lost');
        await expect(shell(workspace, 'ls')).rejects.toMatchObject({
          code: 'workspace-lost',
          details: {
            workspaceId: workspace.workspaceId,
            reason: expect.stringContaining(kind === 'volume' ? volume : workdir),
          },
        });
        expect(await tests.containers()).toStrictEqual([]);
        expect(await tests.engine.hasVolume(volume)).toBe(false);
        await expect(access(workdir)).rejects.toMatchObject({ code: 'ENOENT' });
        await workspace.close();
        await cutAgain();
      },
    );

    it('by docker kill, with its data in it: they are still there', SLOW, async () => {
      const workspace = await tests.open();
      await workspace.backend.writeFile('/workspace/a', 'kept');
      await tests.docker.getContainer(await tests.containerId()).kill();
      await expect.poll(() => shell(workspace, 'cat a').catch(String), { timeout: 60_000 }).toBe('kept');
    });

    it('by docker rm -f, with its data in it: it is lost, and never an empty one instead', SLOW, async () => {
      const workspace = await tests.open();
      await workspace.backend.writeFile('/workspace/a', 'lost');
      await tests.docker.getContainer(await tests.containerId()).remove({ force: true });
      await expect
        .poll(() => outcomeOf(workspace.backend.stat('/workspace/a')).then(({ code }) => code), { timeout: 60_000 })
        .toBe('workspace-lost');
      await expect(shell(workspace, 'ls')).rejects.toMatchObject({ code: 'workspace-lost' });
      expect(workspace.isAlive).toBe(false);
      expect(await tests.containers()).toStrictEqual([]);
    });
  });

  describe('the host', () => {
    it('is followed by another, which finds all of it, and what lived on [D28]', SLOW, async () => {
      await using skill = await makeFixtureSkill({ name: 'notes' });
      const workdir = join(tests.directory, 'host');
      const baseImage = await ensureFixtureImage(tests.engine);
      const program = fileURLToPath(new URL('fixtures/busy-host.ts', import.meta.url));
      const host = fork(program, [tests.managerId, workdir, baseImage, skill.path]);
      const [{ logPath, serverPid }] = (await once(host, 'message')) as [{ logPath: string; serverPid: number }];
      host.kill('SIGKILL');
      await once(host, 'exit');
      const id = await tests.containerId();

      const workspace = await tests.open({ workdir: 'host', baseImage, network: 'none' });
      expect(await tests.containerId()).toBe(id);
      expect(await readText(workspace, '/workspace/mark')).toBe('of the first host\n');
      expect((await workspace.listSkills()).map(({ name }) => name)).toStrictEqual(['notes']);
      expect(await workspace.readContext('s')).toMatchObject([{ id: 'm-1', content: [{ text: 'hello' }] }]);
      const [client] = await workspace.listMcps();
      expect(client?.name).toBe('echo');
      expect(await client?.callTool('echo', { text: 'again' })).toMatchObject({ content: [{ text: 'again' }] });
      const pid = client?.state.kind === 'connected' ? client.state.pid : undefined;
      expect(pid).not.toBe(serverPid);

      const [background] = await workspace.backend.listBackground();
      expect(await background?.state()).toStrictEqual({ kind: 'running' });
      await workspace.backend.writeFile('/workspace/go', '');
      await expect.poll(() => readText(workspace, logPath), { timeout: 20_000 }).toBe('begun\ndone\n');
    });
  });

  describe('what is left', () => {
    it('after close(): nothing', SLOW, async () => {
      const sockets = async (): Promise<readonly string[]> =>
        (await readdir(tmpdir())).filter((name) => name.startsWith('aw-socket-'));
      const volumes = async (): Promise<readonly string[]> => {
        const { Volumes } = await tests.docker.listVolumes();
        return (Volumes ?? [])
          .filter(({ Labels }) => Labels?.[LABELS.manager] === tests.managerId)
          .map(({ Name }) => Name);
      };
      const networks = async (): Promise<readonly string[]> =>
        (await tests.docker.listNetworks())
          .filter(({ Labels }) => Labels?.[LABELS.manager] === tests.managerId)
          .map(({ Name }) => Name);
      const children = (): Promise<string> => readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
      const childrenBefore = await children();
      const workspace = await tests.open({
        workdir: 'left',
        baseImage: await ensureFixtureImage(tests.engine),
        defaultMcps: [{ name: 'parent', ...fixtureServer('spawns-children') }],
      });
      const container = await tests.engine.containers.inspect(await tests.containerId());
      const socket =
        container?.mounts.map(({ source }) => source).find((source) => source.includes('aw-socket-')) ?? '';
      expect(await sockets()).toContain(socket.split('/').at(-1));
      const [client] = await workspace.listMcps();
      await client?.callTool('spawn', {});
      await workspace.backend.startBackground(['sleep', '1000']);
      await workspace.close();
      expect(await tests.containers()).toStrictEqual([]);
      expect(await volumes()).toStrictEqual([]);
      expect(await networks()).toStrictEqual([]);
      expect(await sockets()).not.toContain(socket.split('/').at(-1));
      expect(await children()).toBe(childrenBefore);
    });

    it('of 50 orphans: no zombie', async () => {
      const workspace = await tests.open();
      const orphans = 'for i in $(seq 50); do sh -c "sleep 0.1 & echo \\$! >>pids"; done; wc -l <pids';
      expect(await shell(workspace, orphans)).toBe('50\n');
      const zombies = `cat /proc/[0-9]*/stat 2>/dev/null | sed 's/.*) //' | grep -c '^Z'; true`;
      const left = 'for pid in $(cat pids); do [ -e /proc/$pid ] && echo $pid; done; true';
      await expect.poll(() => shell(workspace, left), { timeout: 20_000 }).toBe('');
      expect(await shell(workspace, zombies)).toBe('0\n');
    });
  });
});
