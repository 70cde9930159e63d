import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fixtureServer, makeFixtureSkill, TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it } from 'vitest';
import { MAIN } from './support/run-command-line.ts';

const INSPECTOR = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js'));

interface Inspected {
  readonly exitCode: number;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly stderr: string;
}

/** A directory with what Inspector is configured with, and a way to call it. */
async function inspected(args: readonly string[]) {
  const directory = await TemporaryDirectory.create({ 'w/a.txt': 'hello\n' });
  const server = {
    type: 'stdio',
    command: process.execPath,
    args: [MAIN, 'mcp', '--workdir', directory.at('w'), ...args],
  };
  await directory.write({ 'config.json': JSON.stringify({ mcpServers: { workspace: server } }) });
  const inspect = async (...request: readonly string[]): Promise<Inspected> =>
    await new Promise((resolve) => {
      const own = ['--cli', '--config', directory.at('config.json'), '--server', 'workspace'];
      const env = { PATH: process.env['PATH'], HOME: directory.path, MCP_INSPECTOR_SECRET_STORE: 'memory' };
      execFile(process.execPath, [INSPECTOR, ...own, ...request], { env }, (error, stdout, stderr) => {
        const answer = JSON.parse(stdout || '{}') as Inspected['answer'];
        resolve({ exitCode: error === null ? 0 : Number(error.code), answer, stderr });
      });
    });
  return { inspect, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

describe("Inspector's command line", { timeout: 180_000 }, () => {
  it('lists and calls tools, and finds nothing to complain of in their schemas', async () => {
    await using client = await inspected([]);
    const list = await client.inspect('--method', 'tools/list', '--strict');
    expect(list.exitCode, list.stderr).toBe(0);
    expect(list.answer).toMatchObject({
      tools: ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep'].map((name) => ({ name })),
    });
    const read = await client.inspect('--method', 'tools/call', '--tool-name', 'Read', '--tool-arg', 'file_path=a.txt');
    expect(read.answer).toMatchObject({ content: [{ type: 'text', text: expect.stringContaining('hello') }] });
    const resources = await client.inspect('--method', 'resources/list');
    expect([resources.exitCode, resources.answer]).toStrictEqual([0, { resources: [] }]);
  });

  it('reaches a nested tool and a skill where the workspace starts with it', async () => {
    await using skill = await makeFixtureSkill({ name: 'tables' });
    await using files = await TemporaryDirectory.create({
      'mcp.json': JSON.stringify({ mcpServers: { fixture: fixtureServer('echo') } }),
    });
    await using client = await inspected(['--eager', '--mcp-config', files.at('mcp.json'), '--skills', skill.path]);
    const call = ['--method', 'tools/call', '--tool-name', 'fixture__echo', '--tool-arg', 'text=nested'];
    expect((await client.inspect(...call)).answer).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('nested') }],
    });
    const prompt = await client.inspect('--method', 'prompts/get', '--prompt-name', 'tables');
    expect(JSON.stringify(prompt.answer)).toContain('Use the skill tables.');
  });
});
