import { TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { type McpConfig, readMcpConfigs } from './read-mcp-config.ts';

async function read(content: unknown, environment: Readonly<Record<string, string>> = {}): Promise<McpConfig> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  await using directory = await TemporaryDirectory.create({ 'mcp.json': text });
  return await readMcpConfigs(['mcp.json'], { directory: directory.path, environment });
}

describe('readMcpConfigs', () => {
  it('reads what Claude Code and Cursor have, with secrets from the environment', async () => {
    const mcpServers = {
      files: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'server', '/x'],
        env: { TOKEN: '${MY_TOKEN}', MODE: 'fast' },
      },
      web: { type: 'http', url: 'https://mcp.example/mcp', headers: { Authorization: '${AUTHORIZATION}' } },
      off: { command: 'x', disabled: true },
    };
    const { declarations, secrets } = await read(
      { mcpServers },
      { MY_TOKEN: 't', AUTHORIZATION: 'Bearer a', OTHER: 'o' },
    );
    expect(declarations).toMatchObject([
      {
        name: 'files',
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'server', '/x'],
        env: { TOKEN: '${MY_TOKEN}' },
      },
      { name: 'web', transport: 'http', url: 'https://mcp.example/mcp' },
    ]);
    expect(secrets).toStrictEqual({ MY_TOKEN: 't', AUTHORIZATION: 'Bearer a' });
  });

  it("reads VS Code's servers", async () => {
    const { declarations } = await read({
      inputs: [],
      servers: { web: { type: 'sse', url: 'https://mcp.example/sse' } },
    });
    expect(declarations).toMatchObject([{ name: 'web', transport: 'sse' }]);
  });

  it.each([
    ['{ "mcpServers": ', /mcp\.json is not JSON: /u],
    [{ other: {} }, /^mcp\.json: it has neither "mcpServers" nor "servers"/u],
    [{ mcpServers: [] }, /^mcp\.json: it has neither/u],
    [{ mcpServers: { a: 1 } }, /^mcp\.json: mcpServers\.a: .*an object with a command or a url/u],
    [{ mcpServers: { a: { args: [] } } }, /^mcp\.json: mcpServers\.a: [^]*command/u],
    [{ servers: { a: { url: 'ftp://x' } } }, /^mcp\.json: servers\.a: [^]*url/iu],
    [{ servers: { a: { command: 'x', env: { K: '${input:key}' } } } }, /^mcp\.json: servers\.a has \$\{input:…\}/u],
    [{ mcpServers: { a: { command: 'x', env: { K: '${NOT_SET}' } } } }, /^mcp\.json: a\.env\.K needs NOT_SET, which/u],
  ])('names file and key: %j', async (content, message) => {
    const error: unknown = await read(content).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(message);
  });

  it('refuses a name twice, and a file that is not there', async () => {
    await using directory = await TemporaryDirectory.create({
      'a.json': '{"mcpServers":{"x":{"command":"a"}}}',
      'b.json': '{"mcpServers":{"x":{"command":"b"}}}',
    });
    const options = { directory: directory.path, environment: {} };
    await expect(readMcpConfigs(['a.json', 'b.json'], options)).rejects.toThrow('b.json: x is declared twice.');
    await expect(readMcpConfigs(['none.json'], options)).rejects.toThrow(/none\.json cannot be read: ENOENT/u);
  });
});
