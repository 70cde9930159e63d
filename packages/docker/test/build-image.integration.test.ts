import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DockerEngine } from '../src/engine/docker-engine.ts';
import { hasDocker } from './engine.ts';

const MAIN = fileURLToPath(new URL('../src/bin/main.ts', import.meta.url));

interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(...args: readonly string[]): Promise<Run> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) => {
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });
}

describe('agent-workspace-docker', () => {
  it.each([
    [[], 'Name a command.'],
    [['build'], 'There is no command "build".'],
    [['build-image', '--nope'], "'--nope'"],
    [['build-image', 'extra'], "'extra'"],
  ])('exits with 2 on %j, and says how it is used', async (args, reason) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).toContain('Usage: agent-workspace-docker build-image');
  });

  it('says what is wrong in a sentence', async () => {
    const { exitCode, stdout, stderr } = await run('build-image', '--docker-host', 'unix:///nowhere');
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^No Docker Engine answers at unix:\/\/\/nowhere: .*\n$/);
  });
});

describe.skipIf(!hasDocker)('agent-workspace-docker build-image', () => {
  let engine: DockerEngine;
  const user = '1238';
  const inRegistry = `localhost:1/test/${randomUUID()}:1.0`;
  const made: string[] = [inRegistry];

  beforeAll(async () => {
    engine = await DockerEngine.connect();
  });

  afterAll(async () => {
    for (const name of made) await engine.images.remove(name);
  });

  it('shows the Dockerfile, builds it, and prints the name', async () => {
    const dockerfile = await run('build-image', '--user', user, '--dockerfile');
    expect(dockerfile).toMatchObject({ exitCode: 0, stderr: '' });
    expect(dockerfile.stdout).toMatch(/^FROM node:24-slim AS node\nFROM python:3\.12-slim\n[^]*\nUSER 1238:1238\n/);

    const { exitCode, stdout, stderr } = await run('build-image', '--user', user);
    expect(stdout).toMatch(/^agent-workspace:[\da-f]{32}\n$/);
    made.push(stdout.trim());
    expect(exitCode).toBe(0);
    expect(stderr).toContain(dockerfile.stdout);
    const image = await engine.images.inspect(stdout.trim());

    const again = await run('build-image', '--user', user, '--tag', inRegistry);
    expect(again).toStrictEqual({ exitCode: 0, stdout: `${inRegistry}\n`, stderr: `${dockerfile.stdout}\n` });
    expect(await engine.images.inspect(inRegistry)).toStrictEqual(image);
  });

  it("tells the engine's words where a name is none", async () => {
    const { exitCode, stdout, stderr } = await run('build-image', '--tag', 'Upper');
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('repository name must be lowercase');
  });
});
