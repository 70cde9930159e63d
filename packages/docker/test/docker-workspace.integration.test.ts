import { randomUUID } from 'node:crypto';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Logger, WorkspaceEvent } from '@agent-workspace/core';
import { makeFixtureSkill } from '@agent-workspace/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { LABELS } from '../src/container/labels.ts';
import { DockerEngine } from '../src/engine/docker-engine.ts';
import { buildImage, DockerWorkspace, type DockerWorkspaceOptions } from '../src/index.ts';
import { hasDocker } from './engine.ts';
import { ensureFixtureImage, fixtureServer } from './fixture-image.ts';
import { removeContainers } from './remove-containers.ts';

const managerId = `test-${randomUUID()}`;

describe.skipIf(!hasDocker)('DockerWorkspace', () => {
  let engine: DockerEngine;
  let directory: string;
  const opened: DockerWorkspace[] = [];

  beforeAll(async () => {
    engine = await DockerEngine.connect();
    directory = await mkdtemp(join(tmpdir(), 'aw-docker-workspace-'));
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((workspace) => workspace.close()));
    await removeContainers(engine, managerId);
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  const containers = () => engine.containers.list({ [LABELS.manager]: managerId });

  async function open(options: DockerWorkspaceOptions = {}): Promise<DockerWorkspace> {
    const workspace = new DockerWorkspace({ managerId, ...options });
    opened.push(workspace);
    await workspace.initialize();
    return workspace;
  }

  async function shell(workspace: DockerWorkspace, script: string): Promise<string> {
    const { stdout } = await workspace.backend.exec(['sh', '-c', script]);
    return Buffer.concat([stdout.head, stdout.tail]).toString('utf8');
  }

  it.each(['socket', 'exec', 'port'] as const)('works over the transport %s', async (transport) => {
    const workspace = await open({ transport, network: transport === 'port' ? 'bridge' : 'none' });
    expect(await shell(workspace, 'pwd; id -u')).toBe('/workspace\n1000\n');
    const bytes = new Uint8Array(3 * 1024 * 1024).fill(7);
    await workspace.backend.writeFile('/workspace/a/b', bytes);
    const back = await workspace.backend.readFile('/workspace/a/b');
    expect(Buffer.compare(back.bytes, bytes)).toBe(0);
    const answers = await Promise.all(Array.from({ length: 32 }, (_, index) => shell(workspace, `echo ${index}`)));
    expect(answers).toStrictEqual(Array.from({ length: 32 }, (_, index) => `${index}\n`));
  });

  it('leaves no container when all are closed [D24]', async () => {
    const three = await Promise.all([open(), open(), open({ workdir: join(directory, 'd24') })]);
    expect(await containers()).toHaveLength(3);
    await Promise.all(three.map((workspace) => workspace.close()));
    expect(await containers()).toStrictEqual([]);
  });

  it('says whether its data outlive it', async () => {
    expect((await open()).isPersistent).toBe(false);
    expect((await open({ workdir: join(directory, 'persistent') })).isPersistent).toBe(true);
  });

  it("tells the agent the container's path alone [D31]", async () => {
    const workspace = await open({ workdir: join(directory, 'd31') });
    expect(workspace.workdir).toBe('/workspace');
    const instructions = await workspace.getInstructions();
    expect(instructions).toContain('/workspace');
    expect(instructions).not.toContain(directory);
  });

  it('gives commands the variables of env, and none of the host', async () => {
    process.env['HOST_SECRET'] = 'secret';
    try {
      const workspace = await open({ env: { GREETING: 'hello', LANG: 'C' } });
      expect(await shell(workspace, 'echo "$GREETING $LANG ${HOST_SECRET-none}"')).toBe('hello C none\n');
      const { stdout } = await workspace.backend.exec(['sh', '-c', 'echo $GREETING'], { env: { GREETING: 'bye' } });
      expect(Buffer.from(stdout.head).toString()).toBe('bye\n');
    } finally {
      delete process.env['HOST_SECRET'];
    }
  });

  it('needs no network, and runs no server that nobody asked for [M39]', async () => {
    const workspace = await open({ network: 'none' });
    const commands =
      'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " <$f; echo; done 2>/dev/null | cut -d " " -f 1-3 | sort -u';
    expect((await shell(workspace, commands)).split('\n').filter((line) => /node|python/.test(line))).toStrictEqual([
      '/opt/agent-workspace/node/bin/node /opt/agent-workspace/gateway/gateway.cjs --socket',
    ]);
  });

  it('ends what an aborted command started [D07]', async () => {
    const workspace = await open();
    const abort = new AbortController();
    const running = workspace.backend.exec(['sh', '-c', 'echo begun; sleep 4242 & sleep 4242'], {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    expect((await running).end.kind).toBe('aborted');
    const count = 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " " | grep -o "sleep 42[4]2" | wc -l';
    await expect.poll(() => shell(workspace, count), { timeout: 20_000 }).toBe('0\n');
  });

  it('hands the timeout of a command down to where it runs [D08]', async () => {
    const workspace = await open();
    const session = workspace.session({ agentId: 'a', sessionId: 's' });
    const bash = (await session.listTools()).find(({ name }) => name === 'Bash');
    const chunks = await Array.fromAsync(bash?.call({ command: 'echo begun; sleep 4343', timeout: 1000 }) ?? []);
    expect(chunks.at(-1)).toMatchObject({ state: 'error', metadata: { timed_out: true } });
    const count = 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " " | grep -o "sleep 43[4]3" | wc -l';
    expect(await shell(workspace, count)).toBe('0\n');
  });

  it('takes links in a folder for what they are, and not for places of the host [D27]', async () => {
    await using skill = await makeFixtureSkill({ name: 'linked', files: { 'a.txt': 'of the skill\n' } });
    await symlink('a.txt', join(skill.path, 'l'));
    const workspace = await open({ workdir: join(directory, 'd27') });
    const { directory: folder } = await workspace.addSkill({ path: skill.path });
    expect(await shell(workspace, `readlink ${folder}/l; cat ${folder}/l`)).toBe('a.txt\nof the skill\n');
    expect(await readlink(join(directory, 'd27', 'skills', 'linked', 'l'))).toBe('a.txt');
  });

  it('does not wait for what was left in the background [D09]', async () => {
    const workspace = await open();
    const begin = performance.now();
    expect(await shell(workspace, 'nohup sleep 60 >/dev/null 2>&1 & echo s')).toBe('s\n');
    expect(performance.now() - begin).toBeLessThan(20_000);
  });

  it('writes where no folder is yet, and bytes that are no text [D11] [D12]', async () => {
    const workspace = await open({ workdir: join(directory, 'd11') });
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await workspace.backend.writeFile('/workspace/x/y/z.txt', bytes);
    expect([...(await readFile(join(directory, 'd11', 'x', 'y', 'z.txt')))]).toStrictEqual([...bytes]);
    expect([...(await workspace.backend.readFile('/workspace/x/y/z.txt')).bytes]).toStrictEqual([...bytes]);
  });

  it('sees what is written outside of the workspace the way commands do [D14]', async () => {
    const workspace = await open();
    await workspace.backend.writeFile('/tmp/a', 'text');
    expect(await shell(workspace, 'cat /tmp/a; mount | grep -c " /dev/shm " ')).toBe('text1\n');
    await workspace.backend.writeFile('/dev/shm/a', 'in memory');
    expect(await shell(workspace, 'cat /dev/shm/a')).toBe('in memory');
  });

  it('reads what is far larger than asked for without holding it [D13]', async () => {
    const workspace = await open();
    await shell(workspace, 'truncate -s 1G big');
    const before = process.memoryUsage().rss;
    await expect(workspace.backend.readFile('/workspace/big', { maxBytes: 1024 * 1024 })).rejects.toMatchObject({
      code: 'file-too-large',
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('tells what a build does', async () => {
    const events: WorkspaceEvent[] = [];
    const user = `${20_000 + (process.pid % 10_000)}`;
    await open({ user, onEvent: (event) => events.push(event) });
    const messages = events.flatMap((event) => (event.type === 'build-progressed' ? [event.message] : []));
    const tag = await buildImage({ user });
    expect(messages.at(-1)).toBe(`Successfully tagged ${tag}`);
    await Promise.all(opened.splice(0).map((workspace) => workspace.close()));
    await engine.images.remove(tag);
  });

  it('runs servers inside', async () => {
    const workspace = await open({
      baseImage: await ensureFixtureImage(engine),
      network: 'none',
      defaultMcps: [{ name: 'inside', ...fixtureServer('echo') }],
    });
    const [client] = await workspace.listMcps();
    const result = await client?.callTool('cwd', {});
    expect(result?.content.map((content) => content['text'])).toStrictEqual(['/workspace']);
  });

  it('finds its container, and the commands in it, after the host has crashed [D28]', async () => {
    const workdir = join(directory, 'crash');
    const host = fork(fileURLToPath(new URL('fixtures/host.ts', import.meta.url)), [managerId, workdir]);
    const [logPath] = (await once(host, 'message')) as [string];
    host.kill('SIGKILL');
    await once(host, 'exit');
    expect(await containers()).toHaveLength(1);
    const workspace = await open({ workdir });
    expect(await containers()).toHaveLength(1);
    expect(await shell(workspace, `cat ${logPath}`)).toBe('begun\n');
    expect(await shell(workspace, 'cat mark')).toBe('of the first host\n');
  });

  it('is shared by two hosts, of which the last one out stops it', async () => {
    const workspaceId = randomUUID();
    const workdir = join(directory, 'two');
    const first = await open({ workspaceId, workdir });
    const second = await open({ workspaceId, workdir });
    expect(await containers()).toHaveLength(1);
    await first.close();
    expect(await shell(second, 'echo still here')).toBe('still here\n');
    await second.close();
    expect(await containers()).toStrictEqual([]);
  });

  it('is not led out of the directory by links that the agent makes [X10]', async () => {
    const workdir = join(directory, 'x10');
    const secret = join(directory, 'secret');
    await writeFile(secret, 'of the host');
    const workspace = await open({ workdir });
    const links = [`ln -s ${secret} f`, `ln -s ${directory} d`, 'mkdir -p sessions', `ln -sfn ${directory} sessions/s`];
    await shell(workspace, links.join('; '));
    for (const path of ['f', 'd/secret', 'sessions/s/secret']) {
      await expect(workspace.backend.readFile(`/workspace/${path}`)).rejects.toMatchObject({ code: 'file-not-found' });
    }
    await workspace.close();
    const again = await open({ workdir });
    await expect(again.offloadContext('s', [])).resolves.toBeDefined();
    expect(await readFile(secret, 'utf8')).toBe('of the host');
    expect((await readdir(directory)).filter((name) => name.startsWith('context'))).toStrictEqual([]);
    expect((await lstat(join(workdir, 'f'))).isSymbolicLink()).toBe(true);
  });

  it('lets nobody in without a token, from the host or from another container [X15]', async () => {
    const workspace = await open({ transport: 'port' });
    expect(await shell(workspace, 'true')).toBe('');
    const { id } = (await containers())[0] ?? { id: '' };
    const container = await engine.containers.inspect(id);
    const port = container?.ports['8765/tcp']?.[0]?.port ?? 0;
    const ask = async (headers: Record<string, string>): Promise<number | undefined> => {
      const asking = request({ host: '127.0.0.1', port, path: '/mcps', headers });
      asking.end();
      const [answer] = (await once(asking, 'response')) as [IncomingMessage];
      await text(answer);
      return answer.statusCode;
    };
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: 'Bearer guess' })).toBe(401);
    expect([401, 403]).toContain(await ask({ host: 'evil.example' }));
    expect([401, 403]).toContain(await ask({ origin: 'http://localhost' }));
    const address = (await shell(workspace, "hostname -i | cut -d ' ' -f 1")).trim();
    const other = await open();
    const script = `import urllib.request,urllib.error\ntry: urllib.request.urlopen('http://${address}:8765/mcps')\nexcept urllib.error.HTTPError as e: print(e.code)`;
    const { stdout } = await other.backend.exec(['python3', '-c', script]);
    expect(Buffer.from(stdout.head).toString()).toMatch(/^40[13]\n$/);
  });

  it('removes the volume when it is destroyed, and the directory only where that is said', async () => {
    const volume = `aw-test-${randomUUID()}`;
    const inVolume = await open({ volume });
    await inVolume.close();
    expect(await engine.hasVolume(volume)).toBe(true);
    await inVolume.destroy();
    expect(await engine.hasVolume(volume)).toBe(false);

    const workdir = join(directory, 'destroyed');
    const first = await open({ workdir });
    await first.destroy();
    expect(await readdir(workdir)).toContain('.workspace');
    const second = await open({ workdir });
    await second.destroy({ workdir: true });
    await expect(readdir(workdir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('takes back what it made where it does not come up, and that alone', async () => {
    const volume = `aw-test-${randomUUID()}`;
    await expect(open({ volume, startTimeoutMs: 1 })).rejects.toMatchObject({ code: 'container-start-failed' });
    expect(await engine.hasVolume(volume)).toBe(false);
    const workdir = join(directory, 'new', 'one');
    await expect(open({ workdir, startTimeoutMs: 1 })).rejects.toMatchObject({ code: 'container-start-failed' });
    expect(await readdir(directory)).not.toContain('new');
    expect(await containers()).toStrictEqual([]);
  });

  it.each(['as an option', 'in DOCKER_HOST'])(
    'says how to get an engine where there is none, given %s',
    async (how) => {
      const dockerHost = 'unix:///nonexistent/docker.sock';
      const before = process.env['DOCKER_HOST'];
      if (how === 'in DOCKER_HOST') process.env['DOCKER_HOST'] = dockerHost;
      try {
        await expect(DockerWorkspace.open(how === 'as an option' ? { dockerHost } : {})).rejects.toMatchObject({
          code: 'docker-unavailable',
          details: { endpoint: dockerHost, reason: 'there is no such socket' },
          message: expect.stringContaining('https://docs.docker.com/engine/install'),
        });
      } finally {
        if (before === undefined) delete process.env['DOCKER_HOST'];
        else process.env['DOCKER_HOST'] = before;
      }
    },
  );

  it('uses a container that runs with other options, and says so [D32]', async () => {
    const warnings: string[] = [];
    const ignore = (): void => undefined;
    const logger: Logger = { debug: ignore, info: ignore, error: ignore, warn: (message) => warnings.push(message) };
    const shared = { workspaceId: randomUUID(), workdir: join(directory, 'd32') };
    await open(shared);
    const second = await open({ ...shared, limits: { pids: 100 }, logger });
    expect(await shell(second, 'echo works')).toBe('works\n');
    expect(warnings).toStrictEqual([
      'A container that was made with other options is used as it is, since it is in use.',
    ]);
  });

  it('takes the same options in another order for the same [G16]', async () => {
    const warn = vi.fn<Logger['warn']>();
    const ignore = (): void => undefined;
    const logger: Logger = { debug: ignore, info: ignore, error: ignore, warn };
    const shared = { workspaceId: randomUUID(), workdir: join(directory, 'g16'), logger };
    await open({ ...shared, env: { A: '1', B: '2' }, limits: { pids: 100, cpus: 1 } });
    const made = await containers();
    const second = await open({ limits: { cpus: 1, pids: 100 }, env: { B: '2', A: '1' }, ...shared });
    expect(await shell(second, 'echo $A$B')).toBe('12\n');
    expect((await containers()).map(({ id }) => id)).toStrictEqual(made.map(({ id }) => id));
    expect(warn).not.toHaveBeenCalled();
  });
});
