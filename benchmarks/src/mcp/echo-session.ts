import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MCPCallResult, MCPClient } from '@agent-workspace/core';
import type { DockerWorkspaceOptions } from '@agent-workspace/docker';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type DockerWorkspaceContender, openDockerWorkspace } from '../contenders/docker-workspace.ts';
import { startProxy, type ProxyName } from './proxy.ts';

/** A way to call the tool `echo` of the same server. */
export interface EchoSession extends AsyncDisposable {
  readonly name: string;
  echo(text: string): Promise<void>;
}

const SERVER_FILE = 'echo-server.mjs';

function expectEcho(name: string, content: MCPCallResult['content'] | undefined, text: string): void {
  const [first] = content ?? [];
  if (first?.['text'] !== text) throw new Error(`${name} answered ${JSON.stringify(first)} to ${text}.`);
}

async function openClient(name: string, transport: Transport, server?: AsyncDisposable): Promise<EchoSession> {
  await using opening = new AsyncDisposableStack();
  opening.use(server);
  const client = new Client({ name: 'benchmark', version: '1.0.0' });
  opening.defer(() => client.close());
  await client.connect(transport);
  const opened = opening.move();
  return {
    name,
    async echo(text) {
      const { content } = await client.callTool({ name: 'echo', arguments: { text } });
      expectEcho(name, content as MCPCallResult['content'], text);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The MCP SDK, and the server as a process of this host. */
export async function openDirectEcho(serverPath: string): Promise<EchoSession> {
  return await openClient('bare MCP SDK', new StdioClientTransport({ command: process.execPath, args: [serverPath] }));
}

/** The MCP SDK over HTTP, and a proxy on this host that has the server as its process. */
export async function openProxiedEcho(name: ProxyName, serverPath: string): Promise<EchoSession> {
  const proxy = await startProxy(name, serverPath);
  return await openClient(name, new StreamableHTTPClientTransport(proxy.url), proxy);
}

/** A workspace in a container, in which the server runs. */
export async function openGatewayEcho(
  root: string,
  serverPath: string,
  options: Pick<DockerWorkspaceOptions, 'transport'> & { readonly name?: string | undefined } = {},
): Promise<EchoSession & DockerWorkspaceContender> {
  const contender = await openDockerWorkspace(root, {
    ...options,
    defaultMcps: [{ name: 'echo', command: 'node', args: [`/workspace/${SERVER_FILE}`] }],
  });
  await copyFile(serverPath, join(contender.hostDirectory, SERVER_FILE));
  const [mcp] = await contender.workspace.listMcps();
  return { ...contender, echo: echoOf(contender.name, mcp) };
}

/** How a workspace's server is called. */
export function echoOf(name: string, mcp: MCPClient | undefined): EchoSession['echo'] {
  return async (text) => expectEcho(name, (await mcp?.callTool('echo', { text }))?.content, text);
}
