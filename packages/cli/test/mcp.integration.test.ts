import { readFile, writeFile } from 'node:fs/promises';
import { E2BEmulator } from '@agent-workspace/e2b-emulator';
import { fixtureServer, makeFixtureSkill, skillText, TemporaryDirectory } from '@agent-workspace/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, vi } from 'vitest';
import { MAIN, runCommandLine } from './support/run-command-line.ts';
import { StdioProcess } from './support/stdio-process.ts';

interface ConnectOptions {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

async function connect(args: readonly string[], { env, cwd }: ConnectOptions = {}) {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'ignore',
    ...(cwd !== undefined && { cwd }),
  });
  await client.connect(transport);
  return {
    client,
    call: async (name: string, input: Readonly<Record<string, unknown>> = {}): Promise<string> => {
      const { content } = (await client.callTool({ name, arguments: input })) as CallToolResult;
      return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    },
    [Symbol.asyncDispose]: async () => await client.close(),
  };
}

describe('mcp on stdio', { timeout: 180_000 }, () => {
  it('serves a directory with its servers and skills, secrets taken from the environment', async () => {
    await using directory = await TemporaryDirectory.create({ 'a.txt': 'hello\n' });
    await using skill = await makeFixtureSkill({ name: 'tables' });
    const echo = fixtureServer('echo');
    const config = { mcpServers: { fixture: { ...echo, env: { TOKEN: '${MY_TOKEN}' } } } };
    await directory.write({ 'mcp.json': JSON.stringify(config) });
    const args = ['--workdir', directory.at('w'), '--mcp-config', directory.at('mcp.json'), '--skills', skill.path];
    await using server = await connect(args, { env: { MY_TOKEN: 'value' } });
    const { client, call } = server;
    expect(client.getInstructions()).toContain(`(local) in ${directory.at('w')}.`);
    expect(await call('Bash', { command: 'pwd' })).toBe(`${directory.at('w')}\n`);
    expect(await call('fixture__env')).toContain('"TOKEN":"value"');
    expect(await readFile(directory.at('w/.mcp'), 'utf8')).toContain('${MY_TOKEN}');
    expect(await call('Skill', { skill: 'tables' })).toContain('# tables');
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toStrictEqual(['tables']);
  });

  it('brings what has changed into a workspace that was there', async () => {
    await using directory = await TemporaryDirectory.create();
    await using skills = await TemporaryDirectory.create({ 'one/SKILL.md': skillText({ name: 'one' }) });
    const path = directory.at('mcp.json');
    const args = ['--workdir', directory.at('w'), '--mcp-config', path, '--skills', skills.path];
    const declare = (env: object): Promise<void> =>
      writeFile(path, JSON.stringify({ mcpServers: { fixture: { ...fixtureServer('echo'), env } } }));
    await declare({ WHICH: 'first' });
    {
      await using server = await connect(args);
      expect(await server.call('fixture__env')).toContain('"WHICH":"first"');
      await server.call('Write', {
        file_path: 'skills/one/SKILL.md',
        content: skillText({ name: 'one', body: 'Mine.\n' }),
      });
    }
    await declare({ WHICH: 'second' });
    await skills.write({ 'two/SKILL.md': skillText({ name: 'two' }) });
    await using server = await connect(args);
    expect(await server.call('fixture__env')).toContain('"WHICH":"second"');
    expect((await server.client.listPrompts()).prompts.map(({ name }) => name)).toStrictEqual(['one', 'two']);
    expect(await server.call('Skill', { skill: 'one' })).toContain('Mine.');
  });

  it('takes the options that choose tools', async () => {
    await using directory = await TemporaryDirectory.create();
    const names = async (...args: readonly string[]): Promise<readonly string[]> => {
      await using server = await connect(['--workdir', directory.path, ...args]);
      return (await server.client.listTools()).tools.map(({ name }) => name);
    };
    expect(await names('--tools', 'Read,G*', '--tools', 'Bash')).toStrictEqual(['Bash', 'Read', 'Glob', 'Grep']);
    expect(await names('--read-only')).toStrictEqual(['Read', 'Glob', 'Grep']);
    expect(await names('--lazy')).toStrictEqual(['ListTools', 'DescribeTool', 'CallTool']);
  });

  it('finds the same sandbox again from the same directory', async () => {
    await using directory = await TemporaryDirectory.create();
    await using emulator = await E2BEmulator.start({ isolation: 'process' });
    const args = ['--backend', 'e2b'];
    const options = { env: { ...emulator.env }, cwd: directory.path };
    {
      await using server = await connect(args, options);
      expect(server.client.getInstructions()).toContain('(e2b) in /home/user/workspace.');
      await server.call('Write', { file_path: 'kept.txt', content: 'kept\n' });
    }
    await using server = await connect(args, options);
    expect(await server.call('Read', { file_path: 'kept.txt' })).toContain('kept');
  });

  it('ends with its client', async () => {
    await using directory = await TemporaryDirectory.create();
    await using server = new StdioProcess([process.execPath, MAIN, 'mcp', '--workdir', directory.path]);
    await server.initialize();
    server.child.stdin.end();
    expect(await server.exited).toStrictEqual({ code: 0, signal: null });
    expect(server.answers).toHaveLength(1);
  });

  it('says to the client what keeps the workspace from starting', async () => {
    await using directory = await TemporaryDirectory.create();
    const args = ['--backend', 'docker', '--workdir', directory.at('w'), '--docker-host', 'unix:///nowhere'];
    await using server = await connect(args);
    expect((await server.client.listTools()).tools).toHaveLength(6);
    expect(await server.call('Bash', { command: 'true' })).toMatch(
      /^The workspace could not be started\. No Docker Engine answers at unix:\/\/\/nowhere/u,
    );
  });
});

describe('mcp over HTTP', { timeout: 180_000 }, () => {
  async function start(args: readonly string[]): Promise<{ readonly server: StdioProcess; readonly url: string }> {
    const server = new StdioProcess([process.execPath, MAIN, 'mcp', '--http', '0', ...args]);
    const url = await vi.waitUntil(() => /^http:\S+/u.exec(server.stdout)?.[0], { timeout: 60_000 });
    return { server, url };
  }

  it('serves whoever has the token that it prints, until it is asked to end', async () => {
    await using directory = await TemporaryDirectory.create({ 'a.txt': 'hello\n' });
    const { server, url } = await start(['--workdir', directory.path]);
    await using _server = server;
    const token = await vi.waitUntil(() => /Bearer (?<token>\S+)/u.exec(server.stderr)?.groups?.['token'], {
      timeout: 60_000,
    });
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const read = await client.callTool({ name: 'Read', arguments: { file_path: 'a.txt' } });
    expect(JSON.stringify(read)).toContain('hello');
    server.child.kill('SIGTERM');
    expect(await server.exited).toStrictEqual({ code: 0, signal: null });
    await client.close();
  });

  it('asks for no token where it is told so', async () => {
    await using directory = await TemporaryDirectory.create();
    const { server, url } = await start(['--workdir', directory.path, '--no-token']);
    await using _server = server;
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect((await client.listTools()).tools).toHaveLength(6);
    await client.close();
    expect(server.stderr).toBe('');
  });

  it('wants a token where others reach it', async () => {
    const open = await runCommandLine(['mcp', '--http', '0', '--host', '0.0.0.0', '--no-token']);
    expect([open.exitCode, open.stderr]).toStrictEqual([1, expect.stringContaining('Give a token.')]);
  });
});
