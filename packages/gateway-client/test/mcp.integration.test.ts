import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MCPClient, type MCPClientState, silentLogger } from '@agent-workspace/core';
import { fixtureServer, type FixtureServerName } from '@agent-workspace/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { GatewayEvents, GatewayKeeper, GatewayMCPClient, type GatewayMCPClientOptions } from '../src/index.ts';
import { ProcessSandbox } from './engine/process-workspace.ts';
import { bundle } from './gateway-files.ts';

let parent = '';
let sandbox: ProcessSandbox;
let keeper: GatewayKeeper;
let events: GatewayEvents;
const clients: MCPClient[] = [];

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'aw-mcp-'));
  sandbox = new ProcessSandbox({ directory: join(parent, 'workspace'), bundle });
  await sandbox.start();
  keeper = new GatewayKeeper({ sandbox, logger: silentLogger });
  await keeper.start({ signal: new AbortController().signal });
  events = new GatewayEvents({ client: keeper.client });
  events.start();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(async () => {
  await events.close();
  await keeper.close();
  await sandbox.destroy();
  await rm(parent, { recursive: true, force: true });
});

function connectTo(name: FixtureServerName, options: Partial<GatewayMCPClientOptions> = {}): GatewayMCPClient {
  const server = { ...fixtureServer(name), env: {}, transport: 'stdio', isStateful: true } as const;
  const declaration = { name: 'fixture', ...server, ...options.declaration } as GatewayMCPClientOptions['declaration'];
  const client = new GatewayMCPClient({ client: keeper.client, events, ...options, declaration });
  clients.push(client);
  return client;
}

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => (error as { readonly code?: unknown }).code,
  );

const textOf = async (call: ReturnType<MCPClient['callTool']>): Promise<unknown> => (await call).content[0]?.['text'];

describe('GatewayMCPClient', () => {
  it('tells progress as it comes', async () => {
    const client = connectTo('echo');
    const news: unknown[] = [];
    const call = client.callTool('progress', { times: 3, everyMs: 5 }, { onProgress: (one) => news.push(one) });
    expect(await textOf(call)).toBe('done');
    expect(news).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })));
  });

  it.each([undefined, () => undefined])('cancels at the server what its caller aborts', async (onProgress) => {
    const client = connectTo('echo');
    await client.connect();
    const controller = new AbortController();
    const call = client.callTool('sleep', { ms: 20_000 }, { signal: controller.signal, onProgress });
    const code = codeOf(call);
    await expect.poll(async () => textOf(client.callTool('echo', { text: 'meanwhile' }))).toBe('meanwhile');
    controller.abort();
    expect(await code).toBe('mcp-call-cancelled');
    await expect
      .poll(async () => JSON.parse((await textOf(client.callTool('cancellations', {}))) as string))
      .toHaveLength(1);
  });

  it('makes more calls at once than a gateway takes', async () => {
    const client = connectTo('echo');
    const texts = Array.from({ length: 200 }, (_, index) => `${index}`);
    expect(await Promise.all(texts.map((text) => textOf(client.callTool('echo', { text }))))).toEqual(texts);
  });

  it('makes calls of one moment in one request, each with its own end', async () => {
    const client = connectTo('echo');
    await client.connect();
    const requests = vi.spyOn(keeper.client, 'bytes');
    const abort = new AbortController();
    const calls = [
      textOf(client.callTool('echo', { text: 'first' })),
      codeOf(client.callTool('sleep', { ms: 60_000 }, { signal: abort.signal })),
      codeOf(client.callTool('sleep', { ms: 60_000 }, { timeoutMs: 50 })),
      codeOf(client.callTool('no-such-tool', {})).then((code) => code !== 'no error'),
    ];
    expect(await calls[0]).toBe('first');
    abort.abort();
    expect(await Promise.all(calls)).toEqual(['first', 'mcp-call-cancelled', 'mcp-call-timeout', expect.anything()]);
    expect(requests.mock.calls.map(([{ path }]) => path)).toEqual(['/calls']);
    requests.mockRestore();
    expect(await textOf(client.callTool('echo', { text: 'on' }))).toBe('on');
  });

  it('tells a time-out, an exit and a server’s own error apart, and knows the state after each', async () => {
    const client = connectTo('echo');
    await expect(client.callTool('sleep', { ms: 5_000 }, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'mcp-call-timeout',
      details: { timeoutMs: 100 },
    });
    await expect(client.callTool('reject', { code: -32_001 })).rejects.toMatchObject({
      code: 'mcp-request-failed',
      details: { rpcCode: -32_001 },
    });
    expect(await client.callTool('fail', {})).toMatchObject({ isError: true });
    expect(client.state.kind).toBe('connected');
    await expect(client.callTool('crash', {})).rejects.toMatchObject({
      code: 'mcp-server-exited',
      details: { exitCode: 9 },
    });
    expect(client.state.kind).toBe('failed');
    expect(client.stderrTail).toContain('boom in call');
    expect(await textOf(client.callTool('echo', { text: 'back' }))).toBe('back');
    expect(client.restarts).toBe(1);
  });

  it('hears of the end of a server that nobody asked', async () => {
    const states: MCPClientState[] = [];
    const client = connectTo('echo', { onStateChange: (state) => states.push(state) });
    const pid = Number(await textOf(client.callTool('pid', {})));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => client.state.kind).toBe('failed');
    expect(states.map(({ kind }) => kind)).toEqual(['connecting', 'connected', 'failed']);
  });

  it('says why a server does not start', async () => {
    const client = connectTo('crash-at-start');
    await expect(client.listTools()).rejects.toMatchObject({
      code: 'mcp-connect-failed',
      details: { exitCode: 7, stderr: expect.stringContaining('boom') },
    });
    expect(client.state).toMatchObject({ kind: 'failed' });
  });

  it('keeps content of any kind as the server sent it', async () => {
    const client = connectTo('unknown-content');
    const tools = await client.listTools();
    const results = await Promise.all(tools.map(({ toolName }) => client.callTool(toolName, {})));
    expect(results.flatMap(({ content }) => content.map(({ type }) => type))).toEqual(
      expect.arrayContaining(['image', 'audio', 'resource', 'resource_link']),
    );
    expect(results.some(({ structuredContent }) => structuredContent !== undefined)).toBe(true);
    const large = connectTo('huge-result');
    expect((await textOf(large.callTool('huge', {}))) as string).toHaveLength(12 * 1024 * 1024);
  });

  it('shows only what the declaration shows, and calls nothing else', async () => {
    const shown = {
      disableTools: ['crash'],
      enableTools: ['echo', 'pid'],
    } as unknown as GatewayMCPClientOptions['declaration'];
    const client = connectTo('echo', { declaration: shown });
    expect((await client.listTools()).map(({ toolName }) => toolName)).toEqual(['echo', 'pid']);
    await expect(client.callTool('crash', {})).rejects.toMatchObject({ code: 'mcp-tool-not-found' });
  });

  it('ends the server when it is closed, in the middle of a call too, and takes no more', async () => {
    const client = connectTo('echo');
    const pid = Number(await textOf(client.callTool('pid', {})));
    const code = codeOf(client.callTool('sleep', { ms: 20_000 }));
    await client.close();
    expect(await code).toBe('mcp-client-closed');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(client.state).toEqual({ kind: 'closed' });
    await expect(client.listTools()).rejects.toMatchObject({ code: 'mcp-client-closed' });
  });

  it('keeps two clients of one name apart', async () => {
    const [one, two] = [connectTo('echo'), connectTo('echo')];
    expect(await textOf(one.callTool('counter', {}))).toBe('1');
    expect(await textOf(two.callTool('counter', {}))).toBe('1');
    expect(await textOf(one.callTool('counter', {}))).toBe('2');
    await one.close();
    expect(await textOf(two.callTool('counter', {}))).toBe('2');
  });
});
