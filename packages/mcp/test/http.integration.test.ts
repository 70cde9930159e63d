import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort, startEverything, startScripted } from './http-servers.ts';
import { clientFor, closeClients, failureOf, textOf } from './support.ts';

afterEach(closeClients);

/** Requests that start something, without the streams and notifications between them. */
const callsIn = (log: readonly string[]): string[] =>
  log.filter((line) => !line.startsWith('GET') && !line.includes('notifications/'));

describe('the everything server over HTTP', () => {
  it.each(['streamableHttp', 'sse'] as const)('lists and calls tools over %s', async (mode) => {
    const port = await freePort();
    await using _server = await startEverything(mode, port);
    const path = mode === 'sse' ? 'sse' : 'mcp';
    const client = clientFor({ name: 'everything', url: `http://127.0.0.1:${port}/${path}`, isStateful: true });
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('mcp__everything__echo');
    expect(await textOf(client, 'echo', { message: 'hi' })).toBe('Echo: hi');
    const seen: number[] = [];
    const onProgress = ({ progress }: { progress: number }): void => void seen.push(progress);
    await client.callTool(
      'trigger-long-running-operation',
      { duration: 0.3, steps: 3 },
      { onProgress, timeoutMs: 5000 },
    );
    expect(seen).toEqual([1, 2, 3]);
    const controller = new AbortController();
    const input = { duration: 60, steps: 600 };
    const call = client.callTool('trigger-long-running-operation', input, {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(await failureOf(call)).toMatchObject({ code: 'mcp-call-cancelled' });
    expect(client.state).toEqual({ kind: 'connected' });
  });

  it.each(['streamableHttp', 'sse'] as const)(
    '[M08] works again after the server has restarted between two calls (%s)',
    async (mode) => {
      const port = await freePort();
      const path = mode === 'sse' ? 'sse' : 'mcp';
      const client = clientFor({ name: 'everything', url: `http://127.0.0.1:${port}/${path}` });
      {
        await using _server = await startEverything(mode, port);
        expect(await textOf(client, 'echo', { message: 'first' })).toBe('Echo: first');
      }
      await using _server = await startEverything(mode, port);
      expect(await textOf(client, 'echo', { message: 'second' })).toBe('Echo: second');
    },
  );

  it('tells a call that the server died under it, and connects again', async () => {
    const port = await freePort();
    const client = clientFor({ name: 'everything', url: `http://127.0.0.1:${port}/mcp` });
    {
      await using server = await startEverything('streamableHttp', port);
      await client.connect();
      const onProgress = vi.fn<() => void>();
      const input = { duration: 60, steps: 600 };
      const call = failureOf(client.callTool('trigger-long-running-operation', input, { onProgress }));
      await vi.waitFor(() => expect(onProgress).toHaveBeenCalled());
      await server[Symbol.asyncDispose]();
      expect(await call).toMatchObject({ code: 'mcp-server-exited' });
      expect(await failureOf(client.callTool('echo', { message: 'x' }))).toMatchObject({ code: 'mcp-connect-failed' });
      expect(client.state).toMatchObject({ kind: 'failed', reason: expect.stringContaining('ECONNREFUSED') });
    }
    await using _server = await startEverything('streamableHttp', port);
    expect(await textOf(client, 'echo', { message: 'again' })).toBe('Echo: again');
    expect(client.state).toEqual({ kind: 'connected' });
  });
});

describe('sessions over streamable HTTP', () => {
  it('[M08] initializes once more after a 404 and repeats the call, if the server keeps nothing', async () => {
    await using server = await startScripted();
    const client = clientFor({ name: 's', url: server.url });
    expect(await textOf(client, 'where')).toBe('session-1');
    server.forget();
    const texts = await Promise.all(Array.from({ length: 5 }, () => textOf(client, 'where')));
    expect(texts).toEqual(Array.from({ length: 5 }, () => 'session-2'));
    expect(server.log.filter((line) => line.includes('initialize '))).toHaveLength(2);
  });

  it('[M08] fails that call of a stateful one with mcp-session-lost, and the next one works', async () => {
    await using server = await startScripted();
    const client = clientFor({ name: 's', url: server.url, isStateful: true });
    expect(await textOf(client, 'where')).toBe('session-1');
    server.forget();
    expect(await failureOf(client.callTool('where', {}))).toMatchObject({ code: 'mcp-session-lost' });
    expect(await textOf(client, 'where')).toBe('session-2');
  });

  it('takes a 400 with words on the session for the same', async () => {
    await using server = await startScripted((request, response, { headers }) => {
      if (request.method !== 'tools/call' || headers['mcp-session-id'] !== 'session-1') return false;
      response.writeHead(400).end('Bad Request: No valid session ID provided');
      return true;
    });
    expect(await textOf(clientFor({ name: 's', url: server.url }), 'where')).toBe('session-2');
  });

  it('does not initialize for ever', async () => {
    await using server = await startScripted((request, response) => {
      if (request.method !== 'tools/call') return false;
      response.writeHead(404).end();
      return true;
    });
    const client = clientFor({ name: 's', url: server.url });
    expect(await failureOf(client.callTool('where', {}))).toMatchObject({ code: 'mcp-session-lost' });
    expect(server.log.filter((line) => line.includes('initialize '))).toHaveLength(2);
  });

  it('ends the session with DELETE at close, and waits for its answer no longer than 2 s', async () => {
    await using server = await startScripted();
    const client = clientFor({ name: 's', url: server.url, isStateful: true });
    await client.connect();
    await client.close();
    expect(callsIn(server.log)).toEqual(['POST initialize -', 'POST tools/list session-1', 'DELETE - session-1']);

    await using slow = await startScripted((_request, _response, { method }) => method === 'DELETE');
    const patient = clientFor({ name: 's', url: slow.url, isStateful: true });
    await patient.connect();
    const startedAt = performance.now();
    await patient.close();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('needs no session where the server has none', async () => {
    await using server = await startScripted(undefined, { hasSessions: false });
    const client = clientFor({ name: 's', url: server.url });
    expect(await textOf(client, 'where')).toBe('-');
    await client.close();
    expect(server.log.some((line) => line.startsWith('DELETE'))).toBe(false);
  });
});

describe('what goes wrong over HTTP', () => {
  it('puts secrets into headers', async () => {
    await using server = await startScripted();
    const headers = { Authorization: '${AUTH}', 'X-Plain': 'y' };
    const client = clientFor({ name: 's', url: server.url, headers }, { secrets: { AUTH: 'Bearer t-1' } });
    await client.connect();
    expect(server.headers[0]).toMatchObject({ authorization: 'Bearer t-1', 'x-plain': 'y' });
    expect(client.declaration).toMatchObject({ headers });
    const without = clientFor({ name: 's', url: server.url, headers });
    expect(await failureOf(without.connect())).toMatchObject({
      code: 'mcp-secret-missing',
      details: { field: 'headers.Authorization' },
    });
  });

  it('says with what status and words a server refuses to connect, without the query of its URL', async () => {
    await using server = await startScripted((_request, response) => {
      response.writeHead(401).end(`no entry ${'x'.repeat(100_000)}`);
      return true;
    });
    const client = clientFor({ name: 's', url: `${server.url}?key=secret` });
    const failure = await failureOf(client.connect());
    expect(failure).toMatchObject({ code: 'mcp-connect-failed' });
    expect(failure.message).toContain(`HTTP 401 Unauthorized from ${server.url}: no entry xxx`);
    expect(failure.message.length).toBeLessThan(1000);
    expect(failure.message).not.toContain('secret');
  });

  it.each(['http', 'sse'])('says that nobody listens (%s)', async (transport) => {
    const client = clientFor({ name: 's', url: `http://127.0.0.1:${await freePort()}/x`, transport });
    const failure = await failureOf(client.connect());
    expect(failure).toMatchObject({ code: 'mcp-connect-failed' });
    expect(failure.message).toMatch(/ECONNREFUSED|fetch failed/);
    expect(client.state.kind).toBe('failed');
  });

  it.each(['http', 'sse'])(
    '[M29] gives up on a server that does not answer, in its own time (%s)',
    async (transport) => {
      await using server = await startScripted(() => true);
      const client = clientFor({ name: 's', url: server.url, transport, timeoutMs: 300 });
      const startedAt = performance.now();
      const failure = await failureOf(client.connect());
      expect(failure.message).toContain('no answer to initialize within 300 ms');
      expect(performance.now() - startedAt).toBeLessThan(15_000);
    },
  );

  it('reports other refusals of a call and keeps the session', async () => {
    let isBroken = true;
    await using server = await startScripted((request, response) => {
      if (request.method !== 'tools/call' || !isBroken) return false;
      response.writeHead(503).end('try later');
      return true;
    });
    const client = clientFor({ name: 's', url: server.url, isStateful: true });
    const failure = await failureOf(client.callTool('where', {}));
    expect(failure).toMatchObject({ code: 'mcp-request-failed', details: { rpcCode: 503 } });
    expect(failure.message).toContain('try later');
    isBroken = false;
    expect(await textOf(client, 'where')).toBe('session-1');
  });

  it.each([
    ['application/json', 'of many lines', ' \n'],
    ['text/event-stream', 'of one line', 'x'],
    ['text/event-stream', 'of many lines', `data: ${'x'.repeat(1017)}\n`],
  ])('closes a connection whose answer is too long (%s %s)', async (type, _what, repeated) => {
    await using server = await startScripted((request, response) => {
      if (request.method !== 'tools/call') return false;
      response.writeHead(200, { 'content-type': type });
      const piece = Buffer.alloc(1024 * 1024, repeated);
      for (let sent = 0; sent < 70; sent++) response.write(piece);
      return true;
    });
    const client = clientFor({ name: 's', url: server.url });
    expect(await failureOf(client.callTool('where', {}))).toMatchObject({ code: 'mcp-protocol-violated' });
    expect(client.state.kind).toBe('failed');
  });

  it('does not wait for an answer that a response ended without', async () => {
    await using server = await startScripted((request, response) => {
      if (request.method !== 'tools/call') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n');
      return true;
    });
    const client = clientFor({ name: 's', url: server.url });
    const startedAt = performance.now();
    expect(await failureOf(client.callTool('where', {}))).toMatchObject({
      code: 'mcp-server-exited',
      details: { method: 'tools/call' },
    });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});
