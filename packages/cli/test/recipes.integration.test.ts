import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { MAIN } from './support/run-command-line.ts';

const ROOT = new URL('../../../', import.meta.url);
const DOCUMENTS = ['packages/cli/README.md', 'docs/recipes/claude-code.md', 'docs/recipes/cursor-and-vs-code.md'];

/** What every recipe starts. */
const COMMAND = 'agent-workspace';

interface ClientConfig {
  readonly mcpServers?: Readonly<Record<string, { readonly args: readonly string[] }>>;
  readonly servers?: Readonly<Record<string, { readonly args: readonly string[] }>>;
}

/** The arguments behind the name of the command, of every server that a document tells its reader to add. */
function servedBy(markdown: string): readonly (readonly string[])[] {
  const blocks = [...markdown.matchAll(/^```json\n(?<json>[^]*?)^```$/gmu)].map(
    ({ groups }) => JSON.parse(groups?.['json'] ?? '') as ClientConfig,
  );
  const fromJson = blocks.flatMap(({ mcpServers, servers }) => Object.values(mcpServers ?? servers ?? {}));
  const fromShell = [...markdown.matchAll(/^claude mcp add \S+ -- (?<command>.+)$/gmu)].map(({ groups }) => ({
    args: groups?.['command']?.split(' ') ?? [],
  }));
  return [...fromJson, ...fromShell].map(({ args }) => args.slice(args.lastIndexOf(COMMAND) + 1));
}

describe.each(DOCUMENTS)('%s', { timeout: 180_000 }, (path) => {
  it('tells of servers that start as it says', async () => {
    const markdown = await readFile(new URL(path, ROOT), 'utf8');
    const recipes = servedBy(markdown);
    expect(recipes.length).toBeGreaterThanOrEqual(3);
    for (const recipe of recipes) {
      await using directory = await TemporaryDirectory.create({ 'skills/.keep': '' });
      const args = recipe.map((argument) => argument.replace('${workspaceFolder}', directory.path));
      expect(args[0]).toBe('mcp');
      const client = new Client({ name: 'recipe', version: '1' });
      const env = { PATH: process.env['PATH'] ?? '' };
      const server = {
        command: process.execPath,
        args: [MAIN, ...args],
        cwd: directory.path,
        env,
        stderr: 'ignore' as const,
      };
      await client.connect(new StdioClientTransport(server));
      expect((await client.listTools()).tools.length, args.join(' ')).toBe(
        args.includes('--lazy') || args.includes('--read-only') ? 3 : 6,
      );
      await client.close();
    }
  });

  it('names no option that there is not', async () => {
    const markdown = await readFile(new URL(path, ROOT), 'utf8');
    const source = await Promise.all(
      [
        'commands/mcp-options',
        'commands/ls',
        'commands/doctor',
        'commands/gc',
        'commands/image',
        'backends/cluster-options',
      ].map((name) => readFile(fileURLToPath(new URL(`packages/cli/src/${name}.ts`, ROOT)), 'utf8')),
    );
    const known = new Set(
      [...source.join('\n').matchAll(/^ {2}'?(?<name>[a-z-]+)'?: \{/gmu)].map(({ groups }) => groups?.['name']),
    );
    const theirs = ['transport', 'header'];
    const named = [...markdown.matchAll(/--(?<name>[a-z][a-z-]+)/gu)].map(({ groups }) => groups?.['name'] ?? '');
    expect(named.filter((name) => !known.has(name) && !theirs.includes(name))).toStrictEqual([]);
  });
});
