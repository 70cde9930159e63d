import { request } from 'node:http';
import { fixtureServer, TemporaryDirectory } from '@agent-workspace/testing';
import { LocalWorkspace } from '@agent-workspace/local';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type CallToolResult, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { type HttpMcpServer, serveHttp, type ServeHttpOptions, WorkspaceMcpHandler } from '../src/index.ts';
import { textOf } from './support/connected-client.ts';

interface Served extends AsyncDisposable {
  readonly server: HttpMcpServer;
  readonly directory: TemporaryDirectory;
  readonly workspaces: LocalWorkspace[];
}

async function serve(options: Partial<ServeHttpOptions> = {}): Promise<Served> {
  const directory = await TemporaryDirectory.create({ 'w/a.txt': 'a\n' });
  const workspaces: LocalWorkspace[] = [];
  const server = await serveHttp({
    open: async ({ onEvent }) => {
      const defaultMcps = [{ name: 'fixture', ...fixtureServer('echo') }];
      const workspace = await LocalWorkspace.open({ workdir: directory.at('w'), onEvent, defaultMcps });
      workspaces.push(workspace);
      return workspace;
    },
    ...options,
  });
  return {
    server,
    directory,
    workspaces,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function connect(url: string, headers: Readonly<Record<string, string>> = {}) {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } });
  await client.connect(transport);
  return { client, transport };
}

async function read(client: Client): Promise<string> {
  return textOf((await client.callTool({ name: 'Read', arguments: { file_path: 'a.txt' } })) as CallToolResult);
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** `fetch` does not let one choose these headers. @returns the status */
async function rawStatus(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object = initialize,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(url, { method: 'POST', headers: { ...HEADERS, ...headers } }, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  sent.on('error', reject).end(JSON.stringify(body));
  return await promise;
}

describe('over HTTP', () => {
  it('a client works, is told of nested tools, and ends its workspace when it says goodbye', async () => {
    await using served = await serve();
    const { client, transport } = await connect(served.server.url);
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
    expect((await client.listTools()).tools).toHaveLength(6);
    expect(await read(client)).toContain('a');
    await changed.promise;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('fixture__echo');
    const [workspace] = served.workspaces;
    expect(workspace?.status).toBe('ready');
    await transport.terminateSession();
    await client.close();
    await vi.waitFor(() => expect(workspace?.status).toBe('closed'), 20_000);
    expect(served.server.sessionCount).toBe(0);
  });

  it('clients have sessions and workspaces of their own', async () => {
    await using served = await serve();
    const [one, other] = await Promise.all([connect(served.server.url), connect(served.server.url)]);
    await Promise.all([read(one.client), read(other.client)]);
    expect([served.server.sessionCount, served.workspaces.length]).toStrictEqual([2, 2]);
    await one.transport.terminateSession();
    expect(await read(other.client)).toContain('a');
    await Promise.all([one.client.close(), other.client.close()]);
  });

  it('a session that has ended, or that there never was, is said to be none', async () => {
    await using served = await serve();
    const { client, transport } = await connect(served.server.url);
    const sessionId = transport.sessionId ?? '';
    await transport.terminateSession();
    await client.close();
    for (const id of [sessionId, 'guessed']) {
      expect(
        await rawStatus(served.server.url, { 'mcp-session-id': id }, { jsonrpc: '2.0', id: 2, method: 'ping' }),
      ).toBe(404);
    }
    expect(await rawStatus(served.server.url, {}, { jsonrpc: '2.0', id: 2, method: 'ping' })).toBe(400);
    expect((await fetch(served.server.url)).status).toBe(400);
    expect((await fetch(new URL('/other', served.server.url))).status).toBe(404);
    expect(served.server.sessionCount).toBe(0);
  });

  it('nobody is served without the token', async () => {
    await using served = await serve({ token: 'secret' });
    const { url } = served.server;
    for (const headers of [
      {},
      { authorization: 'Bearer other' },
      { authorization: 'Basic secret' },
      { authorization: 'secret' },
    ]) {
      expect(await rawStatus(url, headers)).toBe(401);
    }
    expect((await fetch(url, { method: 'POST' })).headers.get('www-authenticate')).toBe('Bearer');
    const { client } = await connect(url, { authorization: 'Bearer secret' });
    expect(await read(client)).toContain('a');
    await client.close();
  });

  it.each([
    [{ host: 'evil.example' }, 403],
    [{ host: '127.0.0.1.evil.example:80' }, 403],
    [{ host: 'localhost:1' }, 200],
    [{ host: '[::1]' }, 200],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost.evil.example' }, 403],
    [{ origin: 'http://localhost:6274' }, 200],
    [{ origin: 'https://app.example' }, 200],
  ] as const)('%j is answered with %i', async (headers, status) => {
    await using served = await serve({ allowedOrigins: ['https://app.example'] });
    expect(await rawStatus(served.server.url, headers)).toBe(status);
  });

  it('lets pages that are allowed read what they ask for', async () => {
    await using served = await serve({ token: 'secret', allowedOrigins: ['https://app.example'] });
    const origin = 'https://app.example';
    const asked = await fetch(served.server.url, { method: 'OPTIONS', headers: { origin } });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toStrictEqual([204, origin]);
    expect(asked.headers.get('access-control-allow-headers')).toContain('mcp-session-id');
    const headers = { ...HEADERS, origin, authorization: 'Bearer secret' };
    const answer = await fetch(served.server.url, { method: 'POST', headers, body: JSON.stringify(initialize) });
    expect([answer.status, answer.headers.get('access-control-expose-headers')]).toStrictEqual([
      200,
      'mcp-session-id, www-authenticate',
    ]);
    await answer.body?.cancel();
    const stranger = { method: 'OPTIONS', headers: { origin: 'https://evil.example' } };
    expect((await fetch(served.server.url, stranger)).status).toBe(403);
  });

  it('limits clients and requests', async () => {
    await using served = await serve({ maxSessions: 1, maxRequestBytes: 10_000 });
    const { client, transport } = await connect(served.server.url);
    expect(await rawStatus(served.server.url, {})).toBe(503);
    const big = { jsonrpc: '2.0', id: 2, method: 'ping', params: { text: 'x'.repeat(20_000) } };
    expect(await rawStatus(served.server.url, { 'mcp-session-id': transport.sessionId ?? '' }, big)).toBe(413);
    await client.close();
  });

  it('listens to others only where it has a token', async () => {
    await expect(serve({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'mcp-server-options-invalid' });
    await using served = await serve({ host: '0.0.0.0', token: 'secret' });
    const url = served.server.url.replace('0.0.0.0', '127.0.0.1');
    expect(await rawStatus(url, { host: 'box.example', authorization: 'Bearer secret' })).toBe(200);
  });

  it('says which port is taken', async () => {
    await using served = await serve();
    await expect(serve({ port: Number(new URL(served.server.url).port) })).rejects.toMatchObject({
      code: 'mcp-server-options-invalid',
      details: { option: 'port', reason: expect.stringContaining('EADDRINUSE') },
    });
  });

  it('its end is the end of every session', async () => {
    const served = await serve();
    const { client } = await connect(served.server.url);
    await read(client);
    await served[Symbol.asyncDispose]();
    expect(served.workspaces.map(({ status }) => status)).toStrictEqual(['closed']);
    await client.close();
  });
});

describe('WorkspaceMcpHandler', () => {
  it("goes into an app of one's own", async () => {
    await using directory = await TemporaryDirectory.create();
    await using handler = new WorkspaceMcpHandler({ open: () => LocalWorkspace.open({ workdir: directory.path }) });
    const app = new Hono().all('/mcp', (context) => handler.fetch(context.req.raw));
    const body = JSON.stringify(initialize);
    const response = await app.request('http://localhost/mcp', {
      method: 'POST',
      headers: { ...HEADERS, host: 'localhost' },
      body,
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"name":"agent-workspace"');
    expect(handler.sessionCount).toBe(1);
  });
});
