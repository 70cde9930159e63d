import { collectToolResult, type MCPProgress, type ToolChunk } from '@agent-workspace/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startScripted } from './http-servers.ts';
import { clientFor, closeClients, failureOf, fixtureClient, isRunning, pidOf, textOf } from './support.ts';

afterEach(closeClients);

describe('the time of a call', () => {
  it('[M04] passes a longer time on than the 60 s that the SDK has', async () => {
    const client = fixtureClient('echo', { callTimeoutMs: 80_000 });
    await client.connect();
    // The server sleeps for real; only the clock of this side is put forward.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const call = textOf(client, 'sleep', { ms: 300 });
      await vi.advanceTimersByTimeAsync(65_000);
      expect(await call).toBe('slept');
    } finally {
      vi.useRealTimers();
    }
  });

  it('lets the declaration win over the option, and the call over both', async () => {
    const declared = fixtureClient('echo', { declare: { executionTimeoutMs: 200 }, callTimeoutMs: 20_000 });
    expect(await failureOf(declared.callTool('sleep', { ms: 2000 }))).toMatchObject({
      code: 'mcp-call-timeout',
      details: { name: 'echo', method: 'tools/call', timeoutMs: 200 },
    });
    expect(await declared.callTool('sleep', { ms: 400 }, { timeoutMs: 5000 })).toMatchObject({
      content: [{ text: 'slept' }],
    });
  });

  it('works on after a call that timed out, and tells the server', async () => {
    const client = fixtureClient('echo');
    const pid = await textOf(client, 'pid');
    expect(await failureOf(client.callTool('sleep', { ms: 60_000 }, { timeoutMs: 100 }))).toMatchObject({
      code: 'mcp-call-timeout',
    });
    expect(JSON.parse(await textOf(client, 'cancellations'))).toHaveLength(1);
    expect(await textOf(client, 'pid')).toBe(pid);
  });

  it('[M05] starts the time anew with each progress, without a handler for it', async () => {
    const client = fixtureClient('echo');
    const result = await client.callTool('progress', { times: 6, everyMs: 500 }, { timeoutMs: 1000 });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
  });

  it('hands progress to the handler, up to the last before the answer', async () => {
    const client = fixtureClient('echo');
    const seen: MCPProgress[] = [];
    await client.callTool('progress', { times: 3, everyMs: 0 }, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
  });
});

describe('a call that is given up', () => {
  it('fails with mcp-call-cancelled and is cancelled at the server', async () => {
    const client = fixtureClient('echo');
    await client.connect();
    const controller = new AbortController();
    const call = failureOf(client.callTool('sleep', { ms: 60_000 }, { signal: controller.signal }));
    await textOf(client, 'pid');
    controller.abort();
    expect(await call).toMatchObject({ code: 'mcp-call-cancelled', details: { method: 'tools/call' } });
    expect(JSON.parse(await textOf(client, 'cancellations'))).toHaveLength(1);
  });

  it('starts nothing if it was given up before', async () => {
    const client = fixtureClient('echo');
    expect(await failureOf(client.callTool('echo', {}, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'mcp-call-cancelled',
    });
    expect(client.state).toEqual({ kind: 'idle' });
  });
});

describe('a call that fails', () => {
  it.each([-32_000, -32_001, -32_602, 7])(
    'keeps the error %i of the server, whatever the SDK means by it',
    async (code) => {
      const client = fixtureClient('echo');
      expect(await failureOf(client.callTool('reject', { code }))).toMatchObject({
        code: 'mcp-request-failed',
        details: { rpcCode: code, problem: 'rejected', data: { method: 'tools/call' }, method: 'tools/call' },
      });
      expect(client.state.kind).toBe('connected');
    },
  );

  it('tells a server that exited from both, with its exit code and stderr', async () => {
    const client = fixtureClient('crash-in-call');
    const failure = await failureOf(client.callTool('crash', {}));
    expect(failure).toMatchObject({
      code: 'mcp-server-exited',
      details: { name: 'crash-in-call', method: 'tools/call', exitCode: 9, stderr: 'boom in call' },
    });
    expect(client.state).toMatchObject({ kind: 'failed', retryAt: expect.any(Number) });
    expect(await textOf(client, 'pid')).toMatch(/^\d+$/);
  });

  it('fails every call in flight when the server exits, and none twice', async () => {
    const client = fixtureClient('echo');
    await client.connect();
    const sleeping = Array.from({ length: 5 }, () => failureOf(client.callTool('sleep', { ms: 60_000 })));
    const crashing = failureOf(client.callTool('crash', {}));
    const codes = (await Promise.all([...sleeping, crashing])).map((failure) => failure['code']);
    expect(new Set(codes)).toEqual(new Set(['mcp-server-exited']));
  });

  it('carries on with a server that exits after every few calls', async () => {
    const client = fixtureClient('crash-after', { argument: '2' });
    const values: string[] = [];
    while (values.length < 4) {
      await textOf(client, 'counter').then(
        (value) => values.push(value),
        (error: { code: string }) => expect(error.code).toBe('mcp-server-exited'),
      );
    }
    expect(values).toEqual(['1', '2', '1', '2']);
  });
});

describe('what a server answers', () => {
  it('[M43] gives content of every kind whole', async () => {
    const client = fixtureClient('unknown-content');
    const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' };
    expect(await client.callTool('image', {})).toEqual({ content: [image] });
    expect(await client.callTool('error_image', {})).toEqual({ isError: true, content: [image] });
    expect(await client.callTool('unknown', {})).toEqual({ content: [{ type: 'hologram', voxels: [1, 2] }] });
    expect(await client.callTool('empty', {})).toEqual({ content: [] });
  });

  it('gives structure, metadata and fields that nobody knows, against its schema too', async () => {
    const client = fixtureClient('unknown-content');
    expect(await client.callTool('structured', {})).toEqual({
      content: [{ type: 'text', text: '{"a":"not a number"}' }],
      structuredContent: { a: 'not a number' },
      _meta: { 'test/trace': 'x' },
      extra: 1,
    });
  });

  it('[M09] joins a character that came in two pieces', async () => {
    const client = fixtureClient('split-utf8');
    expect(await textOf(client, 'split')).toBe('you 你 me');
    expect(await textOf(client, 'separators')).toBe('a\u2028b\u2029c\u0085d');
  });

  it('takes 12 MiB in one line', async () => {
    const client = fixtureClient('huge-result');
    expect(await textOf(client, 'huge')).toHaveLength(12 * 1024 * 1024);
  });

  it('closes a connection whose line does not end', async () => {
    const client = fixtureClient('endless-line');
    await client.connect();
    const pid = pidOf(client);
    expect(await failureOf(client.callTool('flood', {}))).toMatchObject({ code: 'mcp-protocol-violated' });
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
  });

  it('passes over lines that are no messages', async () => {
    const client = fixtureClient('noise');
    expect(await textOf(client, 'echo', { text: 'through the noise' })).toBe('through the noise');
  });

  it('reads megabytes of stderr without being held up, and keeps the end', async () => {
    const client = fixtureClient('floods-stderr');
    expect(await textOf(client, 'flood')).toBe('flooded');
    await vi.waitFor(() => expect(client.stderrTail).toMatch(/last line of the flood\n$/));
    expect(Buffer.byteLength(client.stderrTail)).toBeLessThanOrEqual(64 * 1024);
    expect(Buffer.byteLength(client.stderrTail)).toBeGreaterThan(60 * 1024);
    expect(client.stderrTail).not.toContain('\ufffd');
  });
});

describe('a call through a tool', () => {
  async function run(client: ReturnType<typeof fixtureClient>, name: string, input: unknown): Promise<ToolChunk[]> {
    const tool = (await client.listTools()).find(({ toolName }) => toolName === name);
    return Array.fromAsync(tool?.call(input) ?? []);
  }

  it('yields progress, and one last chunk', async () => {
    const chunks = await run(fixtureClient('echo'), 'progress', { times: 2, everyMs: 20 });
    expect(chunks).toEqual([
      {
        content: [],
        state: 'running',
        isLast: false,
        metadata: { mcp_progress: { progress: 1, total: 2, message: 'step 1' } },
      },
      {
        content: [],
        state: 'running',
        isLast: false,
        metadata: { mcp_progress: { progress: 2, total: 2, message: 'step 2' } },
      },
      {
        content: [expect.objectContaining({ type: 'text', text: 'done' })],
        state: 'success',
        isLast: true,
        metadata: {},
      },
    ]);
  });

  it('[M43] shows media as data blocks and nothing as "(empty)"', async () => {
    const client = fixtureClient('unknown-content');
    const blocksOf = async (name: string): Promise<unknown> => (await run(client, name, {})).at(-1)?.content;
    const data = (mediaType: string): unknown => ({ type: 'base64', data: 'aGVsbG8=', media_type: mediaType });
    expect(await blocksOf('image')).toMatchObject([{ type: 'data', source: data('image/png') }]);
    expect(await blocksOf('audio')).toMatchObject([{ type: 'data', source: data('audio/wav') }]);
    expect(await blocksOf('resource_blob')).toMatchObject([{ type: 'data', source: data('application/pdf') }]);
    expect(await blocksOf('resource_text')).toMatchObject([{ type: 'text', text: 'in a resource' }]);
    expect(await blocksOf('resource_link')).toMatchObject([{ type: 'text', text: 'Resource test://c (c: a link)' }]);
    expect(await blocksOf('unknown')).toMatchObject([{ type: 'text', text: '{"type":"hologram","voxels":[1,2]}' }]);
    expect(await blocksOf('empty')).toEqual([]);
  });

  it.each([
    [
      [null, 7],
      ['null', '7'],
    ],
    [{ type: 'text', text: 'alone' }, ['alone']],
    [null, []],
  ])('loses nothing of content against the rules: %j', async (content, texts) => {
    await using server = await startScripted((request, response) => {
      if (request.method !== 'tools/call') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: { content } }));
      return true;
    });
    const [chunk] = await run(clientFor({ name: 's', url: server.url }), 'where', {});
    expect(chunk).toMatchObject({ state: 'success', content: texts.map((text) => ({ type: 'text', text })) });
  });

  it('keeps beside the blocks what they do not show', async () => {
    const [chunk] = await run(fixtureClient('unknown-content'), 'structured', {});
    expect(chunk?.metadata).toEqual({
      mcp_result: { structuredContent: { a: 'not a number' }, _meta: { 'test/trace': 'x' }, extra: 1 },
    });
  });

  it('shows what a model can act on as an error', async () => {
    const client = fixtureClient('echo', { callTimeoutMs: 100 });
    const failed = await collectToolResult(
      (async function* () {
        yield* await run(client, 'fail', {});
      })(),
    );
    expect(failed).toMatchObject({ state: 'error', content: [{ type: 'text', text: 'it failed' }] });
    expect((await run(client, 'reject', {})).at(-1)).toMatchObject({
      state: 'error',
      content: [{ text: expect.stringContaining('rejected') }],
    });
    expect((await run(client, 'sleep', { ms: 5000 })).at(-1)).toMatchObject({
      state: 'error',
      content: [{ text: expect.stringContaining('longer than 100 ms') }],
    });
    expect((await run(client, 'echo', 'no object')).at(-1)).toMatchObject({ state: 'error', isLast: true });
    expect((await run(client, 'crash', {})).at(-1)).toMatchObject({
      state: 'error',
      content: [{ text: expect.stringMatching(/exit 9[^]*boom in call/) }],
    });
  });

  it('throws when its caller cancels, and cancels when its caller stops reading', async () => {
    const client = fixtureClient('echo');
    const tools = await client.listTools();
    const sleep = tools.find(({ toolName }) => toolName === 'sleep');
    const progress = tools.find(({ toolName }) => toolName === 'progress');
    const signal = AbortSignal.timeout(100);
    expect(await failureOf(Array.fromAsync(sleep?.call({ ms: 60_000 }, { signal }) ?? []))).toMatchObject({
      code: 'mcp-call-cancelled',
    });
    for await (const chunk of progress?.call({ times: 1000, everyMs: 20 }) ?? []) {
      expect(chunk.metadata).toHaveProperty('mcp_progress');
      break;
    }
    await vi.waitFor(async () => expect(JSON.parse(await textOf(client, 'cancellations'))).toHaveLength(2));
  });
});
