import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { makeFixtureSkill, TemporaryDirectory } from '@agent-workspace/testing';
import { expect, it, vi } from 'vitest';
import { StdioProcess } from './support/stdio-process.ts';

const SERVER = fileURLToPath(new URL('fixtures/conformance-server.ts', import.meta.url));
const BASELINE = fileURLToPath(new URL('conformance-baseline.yml', import.meta.url));
const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

interface Run {
  readonly code: number;
  readonly output: string;
}

async function runSuite(url: string, cwd: string): Promise<Run> {
  const args = [SUITE, 'server', '--url', url, '--suite', 'all', '--expected-failures', BASELINE];
  return await new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}\n${stderr}` });
    });
  });
}

it('passes the conformance suite, but for what the baseline names', { timeout: 180_000 }, async () => {
  await using directory = await TemporaryDirectory.create();
  await using skill = await makeFixtureSkill({ name: 'test_simple_prompt' });
  await using server = new StdioProcess([process.execPath, SERVER, directory.at('workspace'), skill.path]);
  const url = await vi.waitUntil(() => /^http:\S+/u.exec(server.stdout)?.[0], { timeout: 60_000 });
  const { code, output } = await runSuite(url, directory.path);
  const passed = [...output.matchAll(/^✓ (?<name>[\w-]+): \d+ passed, 0 failed/gmu)].map(
    ({ groups }) => groups?.['name'],
  );
  expect(passed, output).toStrictEqual([
    'server-initialize',
    'logging-set-level',
    'ping',
    'tools-list',
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-error',
    'tools-call-with-progress',
    'server-sse-multiple-streams',
    'resources-list',
    'prompts-list',
    'prompts-get-simple',
    'dns-rebinding-protection',
  ]);
  expect(code, output).toBe(0);
});
