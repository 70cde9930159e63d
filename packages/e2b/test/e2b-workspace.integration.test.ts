import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ExecResult } from '@agent-workspace/core';
import { makeFixtureSkill } from '@agent-workspace/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { METADATA_KEYS } from '../src/control/identity.ts';
import { E2BWorkspace, type E2BWorkspaceOptions } from '../src/index.ts';
import { startCountingProxy } from './support/counting-proxy.ts';
import { hasSandboxes, START_MS, startEmulator, type TestEmulator } from './support/emulator.ts';
import { recordLog } from './support/record-log.ts';

interface HostMessage {
  readonly sandboxId: string;
  readonly logPath?: string;
}

describe.skipIf(!hasSandboxes)('E2BWorkspace', () => {
  let test: TestEmulator;
  const opened: E2BWorkspace[] = [];

  beforeAll(async () => {
    test = await startEmulator();
  }, START_MS);

  afterEach(async () => {
    test.emulator.faults.clear();
    for (const workspace of opened.splice(0)) await workspace.destroy();
  });

  afterAll(() => test[Symbol.asyncDispose](), START_MS);

  async function open(options: E2BWorkspaceOptions = {}): Promise<E2BWorkspace> {
    const workspace = new E2BWorkspace({ ...test.connection, ...options });
    opened.push(workspace);
    await workspace.initialize();
    return workspace;
  }

  const textOf = ({ stdout }: ExecResult): string => Buffer.concat([stdout.head, stdout.tail]).toString('utf8');

  async function shell(workspace: E2BWorkspace, script: string): Promise<string> {
    return textOf(await workspace.backend.exec(['sh', '-c', script]));
  }

  const info = (sandboxId: string | undefined) => test.client.Sandbox.getInfo(sandboxId ?? '');
  const state = async (sandboxId: string | undefined): Promise<string> => (await info(sandboxId)).state;

  async function sandboxes(workspaceId: string): Promise<readonly string[]> {
    const query = { metadata: { [METADATA_KEYS.workspace]: workspaceId } };
    return (await test.client.Sandbox.list({ query }).nextItems()).map(({ sandboxId }) => sandboxId);
  }

  /** Another process of this machine, that opens a workspace and does what its first parameter says. */
  function startHost(parameters: readonly string[], env: object = test.emulator.env): ChildProcess {
    const program = fileURLToPath(new URL('fixtures/host.ts', import.meta.url));
    return fork(program, [...parameters], { env: { ...process.env, ...env } });
  }

  it('finds everything that another process has left, with a token of its own [E13]', async () => {
    await using skill = await makeFixtureSkill({ name: 'notes' });
    const workspaceId = randomUUID();
    const host = startHost(['fill', workspaceId, '300000', skill.path]);
    const [{ sandboxId }] = (await once(host, 'message')) as [HostMessage];
    await once(host, 'exit');
    expect(await state(sandboxId)).toBe('paused');

    const workspace = await open({ workspaceId });
    expect(workspace.sandboxId).toBe(sandboxId);
    expect(await shell(workspace, 'cat mark; pwd; id -un')).toBe('of the first host\n/home/user/workspace\nuser\n');
    expect((await workspace.listMcps()).map(({ name }) => name)).toStrictEqual(['notes']);
    expect((await workspace.listSkills()).map(({ name }) => name)).toStrictEqual(['notes']);
    expect((await workspace.readContext('s')).map(({ id }) => id)).toStrictEqual(['m-1']);
    await workspace.close();
    const again = await open({ workspaceId });
    expect(await shell(again, 'cat mark')).toBe('of the first host\n');
    expect(await sandboxes(workspaceId)).toStrictEqual([sandboxId]);
  });

  it('leaves a sandbox that pauses itself where its host is killed, with what runs in it [E12] [E24]', async () => {
    const workspaceId = randomUUID();
    const host = startHost(['crash', workspaceId, '4000']);
    const [{ sandboxId, logPath = '' }] = (await once(host, 'message')) as [HostMessage];
    host.kill('SIGKILL');
    await expect.poll(() => state(sandboxId), { timeout: 20_000 }).toBe('paused');
    const workspace = await open({ workspaceId });
    expect(workspace.sandboxId).toBe(sandboxId);
    expect(
      await shell(workspace, `cat mark ${logPath}; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 100[0]'`),
    ).toBe('of the first host\nbegun\n1\n');
  });

  it('is reached by a name of its own over TLS where no URL stands for all sandboxes', async () => {
    await using skill = await makeFixtureSkill({ name: 'notes' });
    const workspaceId = randomUUID();
    const { E2B_SANDBOX_URL: _url, ...byDomain } = test.emulator.env;
    const host = startHost(['fill', workspaceId, '300000', skill.path], { ...byDomain, ...test.emulator.nodeEnv });
    const [{ sandboxId }] = (await once(host, 'message')) as [HostMessage];
    await once(host, 'exit');
    const workspace = await open({ workspaceId });
    expect(workspace.sandboxId).toBe(sandboxId);
    expect(await shell(workspace, 'cat mark')).toBe('of the first host\n');
  });

  it('says that a template is without Node 20, naming the way to one that has it', async () => {
    const workspaceId = randomUUID();
    const metadata = { [METADATA_KEYS.manager]: 'standalone', [METADATA_KEYS.workspace]: workspaceId };
    const sandbox = await test.client.Sandbox.create('base', { metadata, timeoutMs: 300_000 });
    await sandbox.files.write('/home/user/old/node', '#!/bin/sh\necho v18.20.4\n');
    await sandbox.files.write('/home/user/.bash_profile', 'PATH=/home/user/old:$PATH\n');
    await sandbox.commands.run('chmod 755 /home/user/old/node');
    await expect(open({ workspaceId })).rejects.toMatchObject({
      code: 'e2b-template-unsuitable',
      details: { template: 'base', reason: 'its Node is v18.20.4, and the gateway needs 20 or later' },
      message: expect.stringContaining('buildTemplate()'),
    });
    // It is not ours to kill.
    expect(await state(sandbox.sandboxId)).toBe('running');
  });

  it('sleeps when it is idle, and is woken by the next use', async () => {
    const workspace = await open({ timeoutMs: 3_000 });
    const pid = (await shell(workspace, 'sleep 3333 & echo $!')).trim();
    await expect.poll(() => state(workspace.sandboxId), { timeout: 20_000 }).toBe('paused');
    const { startedAt } = await info(workspace.sandboxId);
    // What goes on by itself, such as the stream of events, has had the time to wake it by then.
    const until = Date.now() + 4_000;
    await expect.poll(() => Date.now(), { timeout: 20_000 }).toBeGreaterThan(until);
    expect(await info(workspace.sandboxId)).toMatchObject({ state: 'paused', startedAt });
    expect(await shell(workspace, `kill -0 ${pid} && echo alive`)).toBe('alive\n');
    expect(await state(workspace.sandboxId)).toBe('running');
    expect(workspace.isAlive).toBe(true);
  });

  it('is renewed while it is in use, by a command or a hold', async () => {
    const workspace = await open({ timeoutMs: 2_000 });
    expect(await shell(workspace, 'sleep 6; echo done')).toBe('done\n');
    const background = await workspace.backend.startBackground(['sleep', '5']);
    expect(await background.wait()).toStrictEqual({ kind: 'exited', exitCode: 0 });
    using _hold = workspace.hold();
    const { startedAt } = await info(workspace.sandboxId);
    const until = Date.now() + 4_000;
    await expect.poll(() => Date.now(), { timeout: 20_000 }).toBeGreaterThan(until);
    expect(await info(workspace.sandboxId)).toMatchObject({ state: 'running', startedAt });
  });

  it('asks the control plane nothing for its calls, however many [E10]', async () => {
    await using proxy = await startCountingProxy(test.connection.apiUrl);
    await using workspace = await E2BWorkspace.open({ ...test.connection, apiUrl: proxy.url });
    await workspace.backend.writeFile('file', 'text');
    const before = proxy.routes.length;
    for (let index = 0; index < 10; index++) await workspace.backend.readFile('file');
    await shell(workspace, 'true');
    expect(proxy.routes.slice(before)).toStrictEqual([]);
    expect(proxy.routes).toStrictEqual(['GET /v2/sandboxes', 'POST /v2/sandboxes', 'GET /v2/sandboxes']);
  });

  it('is shared by two hosts, of which the last one out pauses it [E16]', async () => {
    const workspaceId = randomUUID();
    const first = await open({ workspaceId });
    const second = await open({ workspaceId });
    expect(second.sandboxId).toBe(first.sandboxId);
    const { sandboxId } = second;
    await first.close();
    expect(await state(sandboxId)).toBe('running');
    expect(await shell(second, 'echo still here')).toBe('still here\n');
    await second.close();
    expect(await state(sandboxId)).toBe('paused');
  });

  it('goes on where somebody else has paused it', async () => {
    const workspace = await open();
    await workspace.backend.writeFile('file', 'text');
    await test.client.Sandbox.pause(workspace.sandboxId ?? '');
    const { bytes } = await workspace.backend.readFile('file');
    expect(Buffer.from(bytes).toString()).toBe('text');
  });

  it('closes twice, and what is gone already, and kills what is not there [E22]', async () => {
    const workspace = await open();
    const { sandboxId, workspaceId } = workspace;
    await Promise.all([workspace.close(), workspace.close()]);
    await workspace.close();
    expect(await state(sandboxId)).toBe('paused');
    await workspace.destroy();
    expect(await sandboxes(workspaceId)).toStrictEqual([]);
    await workspace.destroy();
  });

  it('reports a sandbox that is gone, and puts no other in its place [E15]', async () => {
    const { logger, entries } = recordLog();
    const workspace = await open({ logger });
    const { sandboxId = '', workspaceId } = workspace;
    await test.client.Sandbox.kill(sandboxId);
    await expect(workspace.backend.readFile('file')).rejects.toMatchObject({
      code: 'workspace-lost',
      details: { workspaceId, reason: `its sandbox ${sandboxId} is gone` },
    });
    await expect(shell(workspace, 'true')).rejects.toMatchObject({ code: 'workspace-lost' });
    expect(workspace.isAlive).toBe(false);
    expect(entries.filter(({ level }) => level === 'error').map(({ message }) => message)).toStrictEqual([
      'A sandbox is gone.',
    ]);
    await workspace.close();
    expect(await sandboxes(workspaceId)).toStrictEqual([]);
    await expect(open({ workspaceId, mustExist: true })).rejects.toMatchObject({ code: 'workspace-lost' });
  });

  it('tells a file that is not there from a sandbox that is not there [E15]', async () => {
    const workspace = await open();
    await expect(workspace.backend.readFile('missing')).rejects.toMatchObject({ code: 'file-not-found' });
    expect(workspace.isAlive).toBe(true);
  });

  it('seeds a new sandbox anew, whatever an earlier one of that id had [E25]', async () => {
    await using skill = await makeFixtureSkill({ name: 'notes' });
    const workspaceId = randomUUID();
    const first = await open({ workspaceId, skillPaths: [skill.path] });
    await first.destroy();
    const second = await open({ workspaceId, skillPaths: [skill.path] });
    expect((await second.listSkills()).map(({ name }) => name)).toStrictEqual(['notes']);
    expect(await shell(second, 'ls skills')).toBe('notes\n');
  });

  it('ends all of a command that takes too long, and keeps what it printed [E03] [E05]', async () => {
    const workspace = await open();
    const result = await workspace.backend.exec(['sh', '-c', 'echo part; (sleep 2; touch late) & sleep 30'], {
      timeoutMs: 700,
    });
    expect(result.end.kind).toBe('timed-out');
    expect(textOf(result)).toBe('part\n');
    expect(await shell(workspace, 'sleep 2.5; ls late 2>/dev/null; echo none')).toBe('none\n');
  });

  it('gives a command that reads an end of file at once [E20]', async () => {
    const workspace = await open();
    expect(await shell(workspace, 'cat; echo ended')).toBe('ended\n');
  });

  it('keeps no handle of commands that are over [E21]', async () => {
    const workspace = await open();
    await shell(workspace, 'true');
    const resources = (): number => process.getActiveResourcesInfo().length;
    const before = resources();
    for (let index = 0; index < 100; index++) await shell(workspace, 'true');
    await expect.poll(resources, { timeout: 20_000 }).toBeLessThan(before + 10);
  });

  it('is closed to the public: each request needs the token of the sandbox, and that of the gateway', async () => {
    const workspace = await open();
    const { sandboxId = '' } = workspace;
    const sandbox = await test.client.Sandbox.connect(sandboxId);
    const ask = async (headers: Record<string, string>): Promise<number> => {
      const routed = { 'e2b-sandbox-id': sandboxId, 'e2b-sandbox-port': '48765', ...headers };
      const answer = await fetch(`${test.connection.sandboxUrl}/mcps`, { headers: routed });
      await answer.arrayBuffer();
      return answer.status;
    };
    const traffic = { 'e2b-traffic-access-token': sandbox.trafficAccessToken ?? '' };
    expect(await ask({})).toBe(403);
    expect(await ask(traffic)).toBe(401);
    expect(await ask({ ...traffic, authorization: 'Bearer guess' })).toBe(401);
  });

  it('is where workdir says', async () => {
    const workspace = await open({ workdir: '/home/user/elsewhere/deep' });
    expect(workspace.workdir).toBe('/home/user/elsewhere/deep');
    expect(await shell(workspace, 'pwd; ls -d .workspace')).toBe('/home/user/elsewhere/deep\n.workspace\n');
  });

  it('installs npm packages, here one of the sandbox itself', { timeout: 180_000 }, async () => {
    const workspaceId = randomUUID();
    const first = await open({ workspaceId });
    await first.backend.writeFile('greeter/package.json', '{"name":"greeter","version":"1.0.0","bin":"greet.js"}');
    await first.backend.writeFile('greeter/greet.js', '#!/usr/bin/env node\nconsole.log("hello");\n', { mode: 0o755 });
    await first.close();
    const second = await open({ workspaceId, extraNpm: ['/home/user/workspace/greeter'] });
    expect(await shell(second, 'greeter')).toBe('hello\n');
  });

  it('gives commands the variables of env, and none of the host', async () => {
    process.env['HOST_SECRET'] = 'secret';
    try {
      const workspace = await open({ env: { GREETING: 'hello' } });
      expect(await shell(workspace, 'echo "$GREETING ${HOST_SECRET-none} $HOME"')).toBe('hello none /home/user\n');
    } finally {
      delete process.env['HOST_SECRET'];
    }
  });

  it('installs Python packages once, and tells what pip has against them', { timeout: 300_000 }, async () => {
    const workspaceId = randomUUID();
    const first = await open({ workspaceId });
    const wheel = `
import zipfile
with zipfile.ZipFile('greeting-1-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('greeting.py', 'print("from the package")')
    wheel.writestr('greeting-1.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: greeting\\nVersion: 1\\n')
    wheel.writestr('greeting-1.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('greeting-1.dist-info/RECORD', '')
`;
    await first.backend.exec(['python3', '-c', wheel]);
    await first.close();
    await expect(open({ workspaceId, extraPip: ['--no-index', 'no-such-package'] })).rejects.toMatchObject({
      code: 'package-install-failed',
      details: { exitCode: 1, output: expect.stringContaining('no-such-package') },
    });
    const extraPip = ['--no-index', '/home/user/workspace/greeting-1-py3-none-any.whl'];
    const second = await open({ workspaceId, extraPip });
    expect(await shell(second, 'python3 -m greeting')).toBe('from the package\n');
    await shell(second, 'rm greeting-1-py3-none-any.whl');
    await second.close();
    const third = await open({ workspaceId, extraPip });
    expect(await shell(third, 'python3 -m greeting')).toBe('from the package\n');
  });
});
