import { E2BWorkspace } from '@agent-workspace/e2b';
import { LocalWorkspace } from '@agent-workspace/local';
import { E2BEmulator } from '@agent-workspace/e2b-emulator';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from './support/run-command-line.ts';

/** Where no engine is, so that nothing depends on that of this machine. */
const NOWHERE = { DOCKER_HOST: 'unix:///nowhere' };

describe('the command line', () => {
  it('exits with 2 where it makes no sense, and with 0 where it is asked how', async () => {
    expect(await runCommandLine(['mcp', '--nope'])).toStrictEqual({
      exitCode: 2,
      stdout: '',
      stderr: "Unknown option '--nope'\n\nagent-workspace mcp --help says what it takes.\n",
    });
    expect(await runCommandLine(['--help'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each([
    [['mcp', '--backend', 'kubernetes', '--workdir', '/home/me'], '--workdir is /workspace with --backend kubernetes'],
    [['gc', '--backend', 'kubernetes', '--with-data'], '--with-data is for --backend docker.'],
    [['gc', '--backend', 'e2b'], '--backend takes docker, kubernetes'],
  ])('refuses %j', async (line, reason) => {
    const { exitCode, stdout, stderr } = await runCommandLine(line);
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });

  it('says in a sentence what is missing', async () => {
    const { exitCode, stdout, stderr } = await runCommandLine(['image'], { env: NOWHERE });
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^No Docker Engine answers at unix:\/\/\/nowhere: .* \(docker-unavailable\)\n$/u);
  });
});

describe('without the package of an engine', () => {
  const hook = new URL('fixtures/without-engines.mjs', import.meta.url).href;
  const env = { ...NOWHERE, E2B_API_KEY: 'key', NODE_OPTIONS: `--import ${hook}` };

  it.each([
    ['mcp --backend docker', 'docker'],
    ['mcp --backend e2b', 'e2b'],
    ['mcp --backend kubernetes', 'kubernetes'],
    ['gc', 'docker'],
    ['gc --backend kubernetes', 'kubernetes'],
    ['image', 'docker'],
  ])('says what to install: %s', async (line, engine) => {
    const { exitCode, stdout, stderr } = await runCommandLine(line.split(' '), { env });
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(
      `@agent-workspace/${engine} is not installed. Install it beside this command: npm install -g`,
    );
  });

  it('looks at all that is left', async () => {
    await using directory = await TemporaryDirectory.create();
    const listed = await runCommandLine(['ls', '--json'], { cwd: directory.path, env });
    expect(JSON.parse(listed.stdout)).toStrictEqual({
      workspaces: [],
      problems: [
        'No containers: @agent-workspace/docker is not installed.',
        'No sandboxes: @agent-workspace/e2b is not installed.',
      ],
    });
    const inCluster = await runCommandLine(['ls', '--json', '--backend', 'kubernetes'], { env });
    expect(JSON.parse(inCluster.stdout)).toStrictEqual({
      workspaces: [],
      problems: ['No Pods: @agent-workspace/kubernetes is not installed.'],
    });
    expect([listed.exitCode, inCluster.exitCode]).toEqual([0, 1]);
    expect(await runCommandLine(['doctor'], { env })).toMatchObject({ exitCode: 0 });
    expect(await runCommandLine(['doctor', '--backend', 'docker'], { env })).toMatchObject({ exitCode: 1 });
  });
});

describe('ls', { timeout: 180_000 }, () => {
  it('does not take an engine that it could not ask for one that has nothing', async () => {
    await using directory = await TemporaryDirectory.create();
    const problem = 'No containers: no Docker Engine answers at unix:///nowhere.\n';
    expect(await runCommandLine(['ls'], { cwd: directory.path, env: NOWHERE })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: problem,
    });
    expect(await runCommandLine(['ls', '--backend', 'docker'], { env: NOWHERE })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: problem,
    });
    const local = await runCommandLine(['ls', '--backend', 'local'], { cwd: directory.path, env: NOWHERE });
    expect(local).toEqual({ exitCode: 0, stdout: '', stderr: 'There are no workspaces here.\n' });
  });

  it('finds the directories of workspaces', async () => {
    await using directory = await TemporaryDirectory.create({ 'not/here/.workspace/state.json': '{}' });
    const [one, other] = await Promise.all(
      ['one', 'deep/er/other'].map((name) => LocalWorkspace.open({ workdir: directory.at(name) })),
    );
    await Promise.all([one?.close(), other?.close()]);
    const { exitCode, stdout } = await runCommandLine(['ls', '--json'], { cwd: directory.path, env: NOWHERE });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      workspaces: [
        { kind: 'directory', where: directory.at('deep/er/other'), workspaceId: other?.workspaceId, state: 'there' },
        { kind: 'directory', where: directory.at('one'), workspaceId: one?.workspaceId, state: 'there' },
      ],
      problems: ['No containers: no Docker Engine answers at unix:///nowhere.'],
    });
    const table = await runCommandLine(['ls', directory.at('one')], { env: NOWHERE });
    expect(table.stdout).toMatch(
      /^KIND +STATE +AGE +MANAGER +WORKSPACE +WHERE\ndirectory +there +\d+[smhd] +\S+ +\S+\/one\n$/u,
    );
  });

  it('finds sandboxes where there is a key', async () => {
    await using directory = await TemporaryDirectory.create();
    await using emulator = await E2BEmulator.start({ isolation: 'process' });
    const { E2B_API_KEY: apiKey, E2B_API_URL: apiUrl, E2B_SANDBOX_URL: sandboxUrl } = emulator.env;
    const workspace = await E2BWorkspace.open({ apiKey, apiUrl, sandboxUrl, workspaceId: 'of-ls' });
    const { sandboxId } = workspace;
    const env = { ...NOWHERE, ...emulator.env };
    const listed = await runCommandLine(['ls', '--json', directory.path], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject({
      workspaces: [
        { kind: 'sandbox', where: sandboxId, workspaceId: 'of-ls', managerId: 'standalone', state: 'running' },
      ],
    });
    const doctor = await runCommandLine(['doctor', '--json', '--backend', 'e2b'], { env });
    const report = JSON.parse(doctor.stdout) as { readonly checks: readonly { readonly name: string }[] };
    expect(report.checks.find(({ name }) => name === 'e2b')).toMatchObject({ state: 'ok', isNeeded: true });
    expect(doctor.exitCode).toBe(0);
    await workspace.destroy();
  });
});

describe('doctor', { timeout: 180_000 }, () => {
  it('says what works, and how to get the rest', async () => {
    const { exitCode, stdout } = await runCommandLine(['doctor'], { env: NOWHERE });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`✓ node       ${process.versions.node}\n`);
    expect(stdout).toContain('✓ rg         Grep works\n');
    expect(stdout).toMatch(
      /^- docker +No Docker Engine answers at unix:\/\/\/nowhere: .*\n +Start it .*docs\.docker\.com/mu,
    );
    expect(stdout).toMatch(/^- e2b +E2B_API_KEY is not set\n +Set it to a key/mu);
    expect(stdout).toContain('\nThe local backend can run here.\n');
  });

  it('exits with 1 where the backend cannot run that is asked for', async () => {
    const { exitCode, stdout } = await runCommandLine(['doctor', '--backend', 'docker', '--json'], { env: NOWHERE });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ backend: 'docker', isFine: false });
  });

  it('says so of a key that is not taken', async () => {
    const env = { ...NOWHERE, E2B_API_KEY: 'e2b_wrong', E2B_API_URL: 'http://127.0.0.1:9' };
    const { exitCode, stdout } = await runCommandLine(['doctor', '--backend', 'e2b'], { env });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗ e2b +E2B could not list the sandboxes/mu);
  });
});
