import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { surveyCluster } from '@agent-workspace/kubernetes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_KUBECONFIG } from '@agent-workspace/testing';
import type { DemoReport } from '../src/demo.ts';
import { LIBRARY_SOURCE, TABLE_SOURCE } from '../src/material.ts';
import type { BackendName } from '../src/places/open-place.ts';
import { BUILD_TIMEOUT_MS, containersOf, hasDocker } from './docker.ts';
import { createNamespace, hasCluster, NOWHERE } from './kubernetes.ts';
import { SCRIPT_PATH } from './script-path.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function runDemo(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Run> {
  const { AI_GATEWAY_API_KEY: _key, ...inherited } = process.env;
  const env = { ...inherited, PATH: SCRIPT_PATH, ...environment };
  return await new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) => {
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });
}

interface OffloadedMessage {
  readonly id: string;
  readonly content: readonly { readonly type: string; readonly id: string }[];
}

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'quickstart-test-'));
});
afterAll(async () => {
  await rm(parent, { recursive: true, force: true });
});

/** Runs the demo, and looks for what has to be so on every backend. */
async function tellStory(backend: BackendName, directory: string): Promise<Run> {
  const run = await runDemo(['--', '--json', '--backend', backend, '--keep', directory]);
  const { stdout, stderr } = run;
  expect(stderr).toContain('Closed and opened again');
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const report = JSON.parse(stdout) as DemoReport;
  expect(report).toMatchObject({
    backend,
    directory,
    tools: ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep'],
    mcps: ['files', 'memory'],
    skills: ['table-report'],
  });

  expect(report.answer).toBe(await expectedAnswer());
  expect(await readFile(join(directory, 'report.md'), 'utf8')).toContain(report.answer);

  const used = new Set(report.steps.map(({ tool }) => tool));
  for (const tool of [...report.tools, 'Skill', 'mcp__files__read_text_file', 'mcp__memory__create_entities']) {
    expect(used).toContain(tool);
  }
  expect(report.steps.filter(({ state }) => state === 'offloaded').map(({ tool }) => tool)).toEqual([
    'mcp__files__read_text_file',
  ]);

  const onHost = (path: string): string => path.replace(report.workdir, directory);
  for (const path of report.offloaded) expect(existsSync(onHost(path))).toBe(true);
  const result = report.offloaded.find((path) => path.includes('/tool_result-')) ?? '';
  expect(await readFile(onHost(result), 'utf8')).toContain(await readFile(TABLE_SOURCE, 'utf8'));
  const context = await readFile(join(directory, 'sessions/demo/context.jsonl'), 'utf8');
  const messages = context
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as OffloadedMessage);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  const idsOf = (type: string): string[] =>
    messages.flatMap(({ content }) => content.filter((block) => block.type === type).map(({ id }) => id)).toSorted();
  expect(idsOf('tool_call').length).toBeGreaterThan(5);
  expect(idsOf('tool_result')).toEqual(idsOf('tool_call'));
  expect(context.match(/"workspace:\/\/\/data\//gu)).toHaveLength(2);

  const chart = await readFile(join(directory, 'chart.png'));
  expect(await readdir(join(directory, 'data'))).toEqual([`${createHash('sha256').update(chart).digest('hex')}.png`]);
  return run;
}

describe('the demo', () => {
  it('answers the question, offloads, and finds everything again', async () => {
    const { exitCode } = await tellStory('local', join(parent, 'kept'));
    expect(exitCode).toBe(0);
  });

  it('works in a temporary directory by default, and says where', async () => {
    const { exitCode, stdout } = await runDemo([]);
    const workdir = /The workspace stays in (.+)/u.exec(stdout)?.[1] ?? '';
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Answer: ${await expectedAnswer()}`);
    expect(existsSync(join(workdir, 'report.md'))).toBe(true);
    await rm(workdir, { recursive: true });
  });

  it.each([
    [['--backend', 'kubernetes', '--keep', 'x'], '--keep is not for kubernetes'],
    [['--nope'], '--nope'],
  ])('exits with 2 on %j', async (args, reason) => {
    const { exitCode, stdout, stderr } = await runDemo(args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(reason);
    expect(stderr).toContain('Usage: pnpm demo');
  });

  it('leaves a directory alone that has something in it', async () => {
    const file = join(parent, 'mine.txt');
    await writeFile(file, 'mine');
    const { exitCode, stderr } = await runDemo(['--keep', parent]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is not empty');
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  it('exits with 3 where no engine answers, and says what to do', async () => {
    const directory = join(parent, 'no-engine');
    const { exitCode, stdout, stderr } = await runDemo(['--backend', 'docker', '--json', '--keep', directory], {
      DOCKER_HOST: 'unix:///nowhere/docker.sock',
    });
    expect(exitCode).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toContain('No Docker Engine answers at unix:///nowhere/docker.sock');
    expect(stderr).toContain('https://docs.docker.com/engine/install');
    expect(stderr).not.toMatch(/^ +at /mu);
    expect(existsSync(directory)).toBe(false);
  });
});

describe('the demo without a cluster', () => {
  it('exits with 3, and says what to do', async () => {
    const { exitCode, stdout, stderr } = await runDemo(['--backend', 'kubernetes'], NOWHERE);
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toContain('There is no cluster');
    expect(stderr).toContain('pnpm cluster up');
  });

  it('exits with 3 where the cluster does not answer', async () => {
    const kubeconfig = join(parent, 'kubeconfig');
    const named = (kind: string, fields: object): object => ({ name: 'gone', [kind]: fields });
    await writeFile(
      kubeconfig,
      JSON.stringify({
        'current-context': 'gone',
        clusters: [named('cluster', { server: 'https://127.0.0.1:9' })],
        users: [named('user', {})],
        contexts: [named('context', { cluster: 'gone', user: 'gone' })],
      }),
    );
    const args = ['--backend', 'kubernetes', '--kubeconfig', kubeconfig];
    const without = await runDemo(args);
    expect(without.exitCode).toBe(3);
    expect(without.stderr).toContain('--image REGISTRY/demo:1');
    const { exitCode, stderr } = await runDemo([...args, '--image', 'any:1']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('https://127.0.0.1:9');
    expect(stderr).toContain('(kubernetes-unavailable)');
  });
});

// The image is built by Docker, and loaded from there.
describe.skipIf(!hasDocker || !hasCluster)('the demo in a Pod', () => {
  it('tells the same story, and leaves its claim and no Pod', { timeout: BUILD_TIMEOUT_MS }, async () => {
    await using place = await createNamespace();
    const args = ['--backend', 'kubernetes', '--json', '--kubeconfig', TEST_KUBECONFIG, '--namespace', place.namespace];
    const { exitCode, stdout, stderr } = await runDemo(args);
    expect(stderr).toContain('Closed and opened again');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      backend: 'kubernetes',
      workdir: '/workspace',
      mcps: ['files', 'memory'],
      skills: ['table-report'],
      answer: await expectedAnswer(),
    });
    const { workspaces } = await surveyCluster({ kubeconfig: TEST_KUBECONFIG, namespace: place.namespace });
    expect(workspaces).toMatchObject([{ state: 'closed', managerId: 'standalone' }]);
  });
});

describe.skipIf(!hasDocker)('the demo in a sandbox of the E2B emulator', () => {
  it('tells the same story', { timeout: BUILD_TIMEOUT_MS }, async () => {
    const { exitCode, stdout, stderr } = await runDemo(['--backend', 'e2b', '--json'], { E2B_API_KEY: '' });
    expect(stderr).toContain('Closed and opened again');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      backend: 'e2b',
      workdir: '/home/user/workspace',
      mcps: ['files', 'memory'],
      skills: ['table-report'],
      answer: await expectedAnswer(),
    });
  });
});

describe.skipIf(!hasDocker)('the demo in a container', () => {
  it('tells the same story, and leaves its files and no container', { timeout: BUILD_TIMEOUT_MS }, async () => {
    const directory = join(parent, 'docker');
    const { exitCode } = await tellStory('docker', directory);
    expect(exitCode).toBe(0);
    const { workspaceId } = JSON.parse(await readFile(join(directory, '.workspace/state.json'), 'utf8')) as {
      readonly workspaceId: string;
    };
    // One for the agent, one for the restart.
    expect(await containersOf(workspaceId)).toEqual({ created: 2, removed: 2 });
  });

  it('is there without a build the second time', { timeout: BUILD_TIMEOUT_MS }, async () => {
    await runDemo(['--backend', 'docker', '--keep', join(parent, 'docker-first')]);
    const { exitCode, stdout } = await runDemo(['--backend', 'docker', '--keep', join(parent, 'docker-second')]);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('Step 1/');
  });
});

/** The answer, worked out by other means than the agent's. */
async function expectedAnswer(): Promise<string> {
  const [, ...rows] = (await readFile(TABLE_SOURCE, 'utf8')).trimEnd().split('\n');
  // The state is the fourth column from the end, and no column behind it is quoted.
  const airports = rows.map((row) => {
    const [longitude, latitude, , state] = row.split(',').toReversed();
    return { row, state, latitude: Number(latitude), longitude };
  });
  const byState = Object.groupBy(airports, ({ state }) => state ?? '');
  const [state = '', most = []] =
    Object.entries(byState).toSorted(([, a], [, b]) => (b?.length ?? 0) - (a?.length ?? 0))[0] ?? [];
  const north = most.reduce((a, b) => (b.latitude > a.latitude ? b : a));
  const [code, name] = north.row.split(',');

  const names = (await readdir(LIBRARY_SOURCE, { withFileTypes: true })).filter((entry) => entry.isFile());
  const counts = await Promise.all(
    names.map(async (entry) => {
      const lines = (await readFile(join(LIBRARY_SOURCE, entry.name), 'utf8')).split('\n');
      const count = lines.filter(
        (line) => line.startsWith('export function') || line.startsWith('export async function'),
      );
      return { file: entry.name, count: count.length };
    }),
  );
  const library = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return (
    `${state} has the most airports: ${most.length} of ${airports.length}. ` +
    `Furthest north is ${name} (${code}, ${north.latitude.toFixed(2)}° N). ` +
    `In the library, ${library.file} exports the most functions: ${library.count}.`
  );
}
