import { readFile } from 'node:fs/promises';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it } from 'vitest';
import { framesOf, saidIn, sessionPath, untilFrame } from './support/client.ts';
import { openTestService } from './support/in-process.ts';
import { hasRedis, RedisServer } from './support/redis-server.ts';

describe('the document of the service', () => {
  it('has the routes that API.md has, and no others', async () => {
    await using test = await openTestService();
    const { paths } = (await (await test.fetch('/openapi.json')).json()) as { paths: Record<string, object> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const text = await readFile(new URL('../API.md', import.meta.url), 'utf8');
    const described = Array.from(
      text.matchAll(/`(GET|POST|PUT|DELETE) (\/[^`\s?]*)/gu),
      ([, method, path]) => `${method} ${path}`,
    );
    // The document itself, the page, and what is said of the routes of whole parts.
    const others = new Set(['GET /openapi.json', 'GET /']);
    expect([...new Set(described)].filter((route) => !others.has(route)).toSorted()).toEqual(documented.toSorted());
  });
});

describe('a browser', () => {
  it('gets the console, which runs what comes from the service alone', async () => {
    await using test = await openTestService();
    const page = await test.fetch('/');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    const etag = page.headers.get('etag') ?? '';
    expect((await test.fetch('/', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await test.fetch('/package.json')).status).toBe(404);
    expect((await test.fetch('/..%2Fpackage.json')).status).toBe(404);
  });

  it('is let in from where it was allowed alone', async () => {
    await using closed = await openTestService();
    const init = { headers: { origin: 'https://app.example' } };
    expect((await closed.fetch('/v1/status', init)).headers.get('access-control-allow-origin')).toBeNull();
    await using open = await openTestService({ corsOrigins: ['https://app.example'] });
    const preflight = await open.fetch('/v1/status', {
      method: 'OPTIONS',
      headers: {
        ...init.headers,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example');
    const other = await open.fetch('/v1/status', { headers: { origin: 'https://evil.example' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('metrics', () => {
  it('are for who has their token, where there is one', async () => {
    await using test = await openTestService({ metricsToken: 'token-of-metrics' });
    await test.alpha.chat(sessionPath('coder', 's'), { text: '/say hi' });
    const get = (token: string): Promise<Response> =>
      test.fetch('/metrics', { headers: { authorization: `Bearer ${token}` } });
    expect((await get('token-of-others')).status).toBe(403);
    const metrics = await (await get('token-of-metrics')).text();
    expect(metrics).toContain('agent_service_turn_seconds_count{outcome="completed"} 1');
    expect(metrics).toContain('agent_service_open_workspaces 1');
    expect(metrics).not.toContain('alpha');
  });
});

describe('agents that share a workspace', () => {
  it('have sessions of the same id, whose files do not meet', async () => {
    await using test = await openTestService({ isolation: 'per-user', isSingleTenant: true });
    const [a, b] = [sessionPath('a', 'same'), sessionPath('b', 'same')];
    const frames = framesOf(await test.alpha.request('GET', '/v1/events'));
    await test.alpha.chat(a, { text: '/run seq 1 20000' });
    const offloaded = await untilFrame(frames, ({ event }) => event === 'tool-result-offloaded');
    expect(JSON.parse(offloaded.data)).toMatchObject({ sessionId: 'same' });
    await frames.return();
    await test.alpha.chat(b, { text: '/say hi' });
    const workspaces = await Promise.all([a, b].map((path) => test.alpha.json<{ workspaceId: string }>('GET', path)));
    expect(workspaces[0]?.workspaceId).toBe(workspaces[1]?.workspaceId);
    const results = await Promise.all(
      [a, b].map((path) => test.alpha.json<{ results: unknown[] }>('GET', `${path}/results`)),
    );
    expect(results.map((answer) => answer.results.length)).toEqual([1, 0]);
    await test.alpha.request('DELETE', b);
    expect(await test.alpha.json('GET', `${a}/results`)).toMatchObject({ results: [{}] });
  });
});

describe.skipIf(!hasRedis)('replicas on one Redis', () => {
  it('know the same sessions, and have one turn of each among them', async () => {
    await using redis = await RedisServer.start();
    await using directory = await TemporaryDirectory.create();
    const options = { redis: redis.url, basedir: directory.at('data') };
    await using first = await openTestService(options);
    await using second = await openTestService(options);
    const session = sessionPath('coder', 's');
    await first.alpha.chat(session, { text: 'remember me' });
    expect(saidIn(await second.alpha.chat(session, { text: '/read notes/1.md' }))).toContain('remember me');
    expect(await first.alpha.messages(session)).toHaveLength(4);

    const frames = framesOf(await first.alpha.request('POST', `${session}/chat`, { json: { text: '/hang' } }));
    await untilFrame(frames, ({ data }) => data.includes('Thinking'));
    const elsewhere = await second.alpha.request('POST', `${session}/chat`, { json: { text: '/say no' } });
    expect([elsewhere.status, await elsewhere.json()]).toMatchObject([409, { error: { code: 'chat-in-progress' } }]);
    expect(await second.alpha.json('GET', session)).toMatchObject({ state: 'running' });
    expect(await second.alpha.messages(session)).toHaveLength(6);
    await first.alpha.json('POST', `${session}/chat/stop`);
    await frames.return();
    expect(saidIn(await second.alpha.chat(session, { text: '/say now' }))).toBe('now');
    expect((await second.beta.request('GET', session)).status).toBe(404);
  });
});
