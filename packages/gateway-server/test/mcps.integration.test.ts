import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fixtureServer, type FixtureServerName } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linesIn } from './support/decode.ts';
import { GatewayProcess, newToken, type Answer } from './support/gateway-process.ts';
import { NODES } from './support/nodes.ts';
import { isAlive } from './support/processes.ts';

interface Status {
  readonly state: { readonly kind: string; readonly pid?: number };
}

describe.each(NODES)('MCP servers of the gateway on $name', ({ node }) => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await GatewayProcess.start({ node });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const declare = (name: string, server: FixtureServerName, argument?: string): Record<string, unknown> => ({
    name,
    ...fixtureServer(server, argument),
  });
  const register = (declaration: unknown, more: Record<string, unknown> = {}): Promise<Answer> =>
    gateway.request('/mcps', { json: { declaration, ...more } });
  const call = (path: string, input: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.request(path, { json: { arguments: input }, headers });
  const statusOf = async (path: string): Promise<Status> => (await gateway.request(path)).json() as Status;
  const remove = (path: string): Promise<Answer> => gateway.request(path, { method: 'DELETE' });

  it('are registered without being started, and once however often', async () => {
    const declaration = declare('lazy', 'echo');
    for (let again = 0; again < 2; again++) {
      const answer = await register(declaration);
      expect([answer.status, answer.json()]).toMatchObject([
        200,
        { name: 'lazy', state: { kind: 'idle' }, restarts: 0 },
      ]);
    }
    const other = await register({ ...declaration, env: { A: '1' } });
    expect([other.status, other.json()]).toMatchObject([409, { code: 'mcp-exists' }]);
    expect((await gateway.request('/mcps')).json()).toMatchObject({ mcps: [{ name: 'lazy' }] });
    const invalid = await register({ name: 'a b', command: 'x' });
    expect([invalid.status, invalid.json()]).toMatchObject([400, { code: 'gateway-request-invalid' }]);
    await remove('/mcps/lazy');
    expect((await gateway.request('/mcps')).json()).toEqual({ mcps: [] });
  });

  it('are told apart by agent, session and client', async () => {
    const scopes = ['', '?agentId=a', '?agentId=a&sessionId=s', '?agentId=a&sessionId=s&clientId=c'];
    for (const scope of scopes) {
      await register(declare('scoped', 'echo'), Object.fromEntries(new URLSearchParams(scope)));
    }
    const counts: unknown[] = [];
    for (const scope of [...scopes, ...scopes]) {
      const answer = (await call(`/mcps/scoped/tools/counter${scope}`)).json() as {
        result: { content: [{ text: string }] };
      };
      counts.push(answer.result.content[0].text);
    }
    expect(counts).toEqual(['1', '1', '1', '1', '2', '2', '2', '2']);
    for (const scope of scopes) await remove(`/mcps/scoped${scope}`);
  });

  it('give their tools and results raw, whatever is in them', async () => {
    await register(declare('raw', 'unknown-content'));
    const { tools } = (await gateway.request('/mcps/raw/tools')).json() as {
      tools: { name: string; outputSchema?: unknown }[];
    };
    expect(tools.find(({ name }) => name === 'structured')?.outputSchema).toMatchObject({ required: ['a'] });
    expect((await call('/mcps/raw/tools/structured')).json()).toEqual({
      result: {
        content: [{ type: 'text', text: '{"a":"not a number"}' }],
        structuredContent: { a: 'not a number' },
        _meta: { 'test/trace': 'x' },
        extra: 1,
      },
    });
    expect((await call('/mcps/raw/tools/unknown')).json()).toMatchObject({
      result: { content: [{ type: 'hologram', voxels: [1, 2] }] },
    });
    const failed = await call('/mcps/raw/tools/error_image');
    expect([failed.status, failed.json()]).toMatchObject([200, { result: { isError: true } }]);
    await remove('/mcps/raw');
  });

  it('tell progress first, and then the result, to who asks for lines', async () => {
    await register(declare('news', 'echo'));
    const json = { arguments: { times: 3, everyMs: 100 } };
    const headers = { accept: 'application/x-ndjson' };
    const { body, headers: answered } = await gateway.open('/mcps/news/tools/progress', { json, headers });
    expect(answered['content-type']).toBe('application/x-ndjson');
    const lines: Record<string, unknown>[] = [];
    for await (const line of linesIn(body)) lines.push(line);
    expect(lines).toEqual([
      { type: 'progress', progress: 1, total: 3, message: 'step 1' },
      { type: 'progress', progress: 2, total: 3, message: 'step 2' },
      { type: 'progress', progress: 3, total: 3, message: 'step 3' },
      { type: 'result', result: { content: [{ type: 'text', text: 'done' }] } },
    ]);
    const forAnHour = { arguments: { times: 36_000, everyMs: 100 } };
    const long = await gateway.open('/mcps/news/tools/progress', { json: forAnHour, headers });
    for await (const line of linesIn(long.body)) {
      expect(line).toMatchObject({ type: 'progress', progress: 1 });
      break;
    }
    const quick = await call('/mcps/news/tools/echo', { text: 'hi' }, headers);
    expect(quick.json()).toEqual({ type: 'result', result: { content: [{ type: 'text', text: 'hi' }] } });
    const failed = await call('/mcps/news/tools/reject', {}, headers);
    expect([failed.status, failed.json()]).toMatchObject([502, { code: 'mcp-request-failed' }]);
    await remove('/mcps/news');
  });

  it('are each called by 32 at once, and by no more', async () => {
    await register(declare('busy', 'echo'));
    await register(declare('free', 'echo'));
    await call('/mcps/busy/tools/echo', { text: 'up' });
    const running = Array.from({ length: 32 }, () => call('/mcps/busy/tools/sleep', { ms: 3_000 }));
    await expect
      .poll(async () => (await call('/mcps/busy/tools/sleep', { ms: 3_000 })).status, { interval: 10 })
      .toBe(429);
    const refused = await call('/mcps/busy/tools/echo', { text: 'no' });
    expect([refused.status, refused.headers['retry-after'], refused.json()]).toMatchObject([
      429,
      '1',
      { code: 'gateway-busy', isRetryable: true, details: { limit: 32 } },
    ]);
    expect((await call('/mcps/free/tools/echo', { text: 'yes' })).status).toBe(200);
    const statuses = (await Promise.all(running)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(31);
    expect((await call('/mcps/busy/tools/echo', { text: 'again' })).status).toBe(200);
    await Promise.all([remove('/mcps/busy'), remove('/mcps/free')]);
  });

  it('[M29] keep nobody waiting but those who asked for a slow or silent one', async () => {
    await register(declare('silent', 'silent'), { connectTimeoutMs: 5_000 });
    await register(declare('quick', 'echo'));
    const waiting = call('/mcps/silent/tools/echo');
    await expect.poll(async () => (await statusOf('/mcps/silent')).state.kind).toBe('connecting');
    expect((await call('/mcps/quick/tools/echo', { text: 'hi' })).status).toBe(200);
    expect((await remove('/mcps/quick')).status).toBe(200);
    expect((await statusOf('/mcps/silent')).state.kind).toBe('connecting');
    const failed = await waiting;
    expect([failed.status, failed.json()]).toMatchObject([502, { code: 'mcp-connect-failed' }]);
    await remove('/mcps/silent');
  });

  it('[M19] say why they did not start, with what they wrote', async () => {
    await register(declare('broken', 'crash-at-start'));
    const answer = await gateway.request('/mcps/broken/connect', { json: {} });
    expect([answer.status, answer.json()]).toMatchObject([
      502,
      { code: 'mcp-connect-failed', details: { exitCode: 7, stderr: 'boom' } },
    ]);
    expect((await gateway.request('/mcps/broken')).json()).toMatchObject({
      state: { kind: 'failed' },
      lastError: { code: 'mcp-connect-failed' },
      stderrTail: 'boom\n',
    });
    await remove('/mcps/broken');
  });

  it('tell no secret: not in their status, their errors or what they wrote', async () => {
    const secret = 'correct-horse-battery';
    const script = 'echo "failed with $API_KEY and $PLAIN_TOKEN" >&2; exit 3';
    const env = { API_KEY: '${KEY}', PLAIN_TOKEN: 'plain-as-day', PLACE: 'home' };
    const declaration = { name: 'leaky', command: 'sh', args: ['-c', script], env };
    const registered = await register(declaration, { secrets: { KEY: secret } });
    expect(registered.json()).toMatchObject({
      declaration: { env: { API_KEY: '${KEY}', PLAIN_TOKEN: '[redacted]', PLACE: '[redacted]' } },
    });
    const answers = [
      await gateway.request('/mcps/leaky/tools'),
      await call('/mcps/leaky/tools/x', {}, { accept: 'application/x-ndjson' }),
      await gateway.request('/mcps/leaky'),
      await gateway.request('/mcps'),
    ];
    for (const { bytes } of answers) {
      expect(String(bytes)).not.toContain(secret);
      expect(String(bytes)).not.toContain('plain-as-day');
    }
    expect(String(answers[0]?.bytes)).toContain('failed with [redacted] and [redacted]');
    expect(gateway.stderr).not.toContain(secret);
    await remove('/mcps/leaky');
  });

  it('[M22] [M31] end with all their children when they are removed', async () => {
    await register(declare('family', 'spawns-children'));
    const { result } = (await call('/mcps/family/tools/spawn')).json() as { result: { content: [{ text: string }] } };
    const { state } = await statusOf('/mcps/family');
    const pids = [state.pid ?? 0, ...(JSON.parse(result.content[0].text) as number[])];
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    expect((await remove('/mcps/family')).json()).toEqual({});
    expect(pids.filter(isAlive)).toEqual([]);
    expect((await gateway.request('/mcps/family')).status).toBe(404);
    expect((await remove('/mcps/family')).status).toBe(200);
  });

  it('[M21] leave no process behind after twenty rounds', async () => {
    const children = (): number =>
      readFileSync(`/proc/${gateway.child.pid}/task/${gateway.child.pid}/children`, 'utf8').split(' ').filter(Boolean)
        .length;
    const before = children();
    for (let round = 0; round < 20; round++) {
      await register(declare('round', 'echo'));
      expect((await call('/mcps/round/tools/echo', { text: 'hi' })).status).toBe(200);
      await remove('/mcps/round');
    }
    expect(children()).toBe(before);
  });

  it('are told that a call is cancelled, by its id or by a dropped connection', async () => {
    await register(declare('patient', 'echo'));
    const id = randomUUID();
    const json = { arguments: { times: 1_000, everyMs: 50 } };
    const headers = { accept: 'application/x-ndjson', 'x-call-id': id };
    const named = linesIn((await gateway.open('/mcps/patient/tools/progress', { json, headers })).body);
    expect((await named.next()).value).toMatchObject({ type: 'progress', progress: 1 });
    expect((await gateway.request(`/calls/${id}`, { method: 'DELETE' })).json()).toEqual({ isCancelled: true });
    const rest = await Array.fromAsync(named);
    expect(rest.at(-1)).toMatchObject({ type: 'problem', problem: { status: 499, code: 'mcp-call-cancelled' } });

    const dropped = (await gateway.open('/mcps/patient/tools/progress', { json, headers })).body;
    for await (const line of linesIn(dropped)) {
      expect(line).toMatchObject({ type: 'progress', progress: 1 });
      break;
    }
    const cancellations = async (): Promise<number> => {
      const { result } = (await call('/mcps/patient/tools/cancellations')).json() as {
        result: { content: [{ text: string }] };
      };
      return (JSON.parse(result.content[0].text) as unknown[]).length;
    };
    await expect.poll(cancellations).toBe(2);
    await remove('/mcps/patient');
  });

  it('[M17] serve several hosts at once and one after the other, to each its own', async () => {
    const hosts = ['one', 'two'].map((attachmentId) => ({ attachmentId, token: newToken() }));
    for (let round = 0; round < 2; round++) {
      await Promise.all(hosts.map(({ attachmentId, token }) => gateway.attach(attachmentId, token)));
      const pids = await Promise.all(
        hosts.map(async ({ token }) => {
          await gateway.request('/mcps', { token, json: { declaration: declare('own', 'echo') } });
          const tools = await gateway.request('/mcps/own/tools', { token });
          expect((tools.json() as { tools: unknown[] }).tools.length).toBeGreaterThan(5);
          return ((await gateway.request('/mcps/own', { token })).json() as Status).state.pid ?? 0;
        }),
      );
      expect(new Set(pids).size).toBe(2);
      expect((await gateway.request('/mcps/own')).status).toBe(404);
      await Promise.all(
        hosts.map(({ attachmentId, token }) =>
          gateway.request(`/attachments/${attachmentId}`, { token, method: 'DELETE' }),
        ),
      );
      expect(pids.filter(isAlive)).toEqual([]);
    }
  });

  it('[M18] [M42] are told of on as many streams of events as are open, and lose nothing by it', async () => {
    const streams = await Promise.all([gateway.open('/events'), gateway.open('/events')]);
    const events = streams.map(({ body }) => linesIn(body));
    const next = async (): Promise<unknown[]> => Promise.all(events.map(async (lines) => (await lines.next()).value));
    expect(await next()).toEqual([{ type: 'alive' }, { type: 'alive' }]);
    await register(declare('told', 'echo'));
    await call('/mcps/told/tools/add_tool', { name: 'later' });
    const both = (event: Record<string, unknown>): unknown[] =>
      [event, event].map((one) => expect.objectContaining(one) as unknown);
    const state = (kind: string): unknown[] =>
      both({
        type: 'mcp-state-changed',
        mcp: expect.objectContaining({ name: 'told', state: expect.objectContaining({ kind }) as unknown }) as unknown,
      });
    expect(await next()).toEqual(state('connecting'));
    expect(await next()).toEqual(state('connected'));
    expect(await next()).toEqual(both({ type: 'mcp-tools-changed', mcp: { name: 'told' } }));
    const tools = (await gateway.request('/mcps/told/tools')).json() as { tools: { name: string }[] };
    expect(tools.tools.map(({ name }) => name)).toContain('later');

    await events[0]?.return();
    const spawned = (await gateway.request('/processes', { json: { argv: ['true'] } })).json() as { id: string };
    expect((await events[1]?.next())?.value).toEqual({
      type: 'process-ended',
      id: spawned.id,
      end: { kind: 'exited', exitCode: 0 },
    });
    expect((await statusOf('/mcps/told')).state.kind).toBe('connected');
    await events[1]?.return();
    await remove('/mcps/told');
  });
});
