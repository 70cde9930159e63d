import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { framesOf, saidIn, sessionPath, untilFrame } from './support/client.ts';
import { openTestService, type TestService } from './support/in-process.ts';

let test: TestService;
/** Alpha's, with something of each kind in it. */
let workspaceId: string;
const session = sessionPath('coder', 'secret');

beforeAll(async () => {
  test = await openTestService();
  await test.alpha.chat(session, { text: 'The password is swordfish.' });
  ({ workspaceId } = await test.alpha.json<{ workspaceId: string }>('GET', session));
});
afterAll(async () => {
  await test[Symbol.asyncDispose]();
});

interface Attempt {
  readonly method: string;
  readonly path: (ids: { readonly workspaceId: string; readonly session: string }) => string;
  readonly json?: unknown;
  readonly body?: string;
  /** Default 404. */
  readonly status?: number;
}

const workspace = (method: string, rest: string, more: Partial<Attempt> = {}): Attempt => ({
  method,
  path: (ids) => `/v1/workspaces/${ids.workspaceId}${rest}`,
  ...more,
});
const ofSession = (method: string, rest: string, more: Partial<Attempt> = {}): Attempt => ({
  method,
  path: (ids) => `${ids.session}${rest}`,
  ...more,
});

/** Every route that takes an id of a workspace or a session. */
const ATTEMPTS: readonly Attempt[] = [
  workspace('GET', ''),
  workspace('DELETE', ''),
  workspace('POST', '/close'),
  workspace('GET', '/status'),
  workspace('GET', '/tools'),
  workspace('GET', '/mcps'),
  workspace('GET', '/mcps?agentId=coder&sessionId=secret'),
  workspace('POST', '/mcps', { json: { name: 'evil', command: 'true' } }),
  workspace('DELETE', '/mcps/any'),
  workspace('POST', '/mcps/any/restart'),
  workspace('GET', '/mcps/any/tools'),
  workspace('GET', '/skills'),
  workspace('GET', '/skills?agentId=coder'),
  workspace('POST', '/skills', { body: 'not even an archive' }),
  workspace('DELETE', '/skills/any'),
  workspace('GET', '/files'),
  workspace('GET', '/files?path=notes'),
  workspace('GET', '/files/content?path=notes/1.md'),
  workspace('PUT', '/files/content?path=notes/1.md', { body: 'overwritten' }),
  workspace('DELETE', '/files?path=notes&recursive=true'),
  ofSession('GET', ''),
  ofSession('DELETE', ''),
  ofSession('GET', '/messages'),
  ofSession('GET', '/context'),
  ofSession('GET', '/results'),
  ofSession('GET', '/results/tool_result-1.txt'),
  ofSession('GET', '/chat/stream', { status: 204 }),
  ofSession('POST', '/chat/stop'),
];

describe('a tenant', () => {
  it.each(
    ATTEMPTS.map(
      (attempt) => [attempt.method, attempt.path({ workspaceId: '{id}', session: '{session}' }), attempt] as const,
    ),
  )(
    'finds nothing of another at %s %s, just as where nothing is',
    async (_method, _path, { method, path, json, body, status = 404 }) => {
      const attempt = async (ids: { workspaceId: string; session: string }): Promise<readonly [number, unknown]> => {
        const init = { ...(json === undefined ? {} : { json }), ...(body === undefined ? {} : { body }) };
        const response = await test.beta.request(method, path(ids), init);
        return [response.status, await response.text()];
      };
      const foreign = await attempt({ workspaceId, session });
      const unknown = await attempt({ workspaceId: 'f'.repeat(32), session: sessionPath('nobody', 'nothing') });
      expect(foreign).toEqual(unknown);
      expect(foreign[0]).toBe(status);
      expect(JSON.stringify(foreign)).not.toContain(workspaceId);
    },
  );

  it('still has all that the other tried to change', async () => {
    const notes = await test.alpha.request('GET', `/v1/workspaces/${workspaceId}/files/content?path=notes/1.md`);
    expect(await notes.text()).toContain('swordfish');
    expect(await test.alpha.messages(session)).toHaveLength(2);
  });

  it('has its own session under the same ids, in a workspace of its own', async () => {
    const chunks = await test.beta.chat(session, { text: '/read notes/1.md' });
    expect(saidIn(chunks)).not.toContain('swordfish');
    const own = await test.beta.json<{ workspaceId: string }>('GET', session);
    expect(own.workspaceId).not.toBe(workspaceId);
    const listed = await test.beta.json<{ workspaces: { workspaceId: string }[] }>('GET', '/v1/workspaces');
    expect(listed.workspaces.map((entry) => entry.workspaceId)).toEqual([own.workspaceId]);
    const { sessions } = await test.beta.json<{ sessions: { title: string }[] }>('GET', '/v1/sessions');
    expect(sessions.map(({ title }) => title)).toEqual(['/read notes/1.md']);
    const filtered = `/v1/sessions?workspaceId=${workspaceId}`;
    expect(await test.beta.json('GET', filtered)).toEqual({ sessions: [] });
  });

  it('has neither a shell nor MCP servers, which would run on the machine of all', async () => {
    const own = await test.beta.json<{ workspaceId: string }>('POST', '/v1/workspaces', { agentId: 'coder' });
    const base = `/v1/workspaces/${own.workspaceId}`;
    const { tools } = await test.beta.json<{ tools: { name: string }[] }>('GET', `${base}/tools`);
    expect(tools.map(({ name }) => name)).toEqual(['Read', 'Write', 'Edit', 'Glob', 'Grep']);
    const added = await test.beta.request('POST', `${base}/mcps`, { json: { name: 'x', command: 'true' } });
    expect(added.status).toBe(403);
    expect(await added.json()).toMatchObject({
      error: { code: 'feature-disabled', message: expect.stringContaining('--single-tenant') as string },
    });
    expect(await test.beta.json('GET', `${base}/mcps`)).toEqual({ mcps: [] });
    const said = saidIn(await test.beta.chat(sessionPath('coder', 'shell'), { text: '/run echo it ran' }));
    expect(said).not.toContain('it ran');
    expect(await test.beta.json('GET', '/v1/status')).toMatchObject({ features: { bash: false, mcps: false } });
  });

  it("reaches no other's files by a path", async () => {
    const own = await test.beta.json<{ workspaceId: string }>('POST', '/v1/workspaces', { agentId: 'coder' });
    const there = `../${workspaceId}/notes/1.md`;
    for (const path of [
      there,
      `notes/../${there}`,
      `/etc/passwd`,
      test.directory.at(`data/workspaces/${workspaceId}`),
    ]) {
      const query = `path=${encodeURIComponent(path)}`;
      const read = await test.beta.request('GET', `/v1/workspaces/${own.workspaceId}/files/content?${query}`);
      const list = await test.beta.request('GET', `/v1/workspaces/${own.workspaceId}/files?${query}`);
      const write = await test.beta.request('PUT', `/v1/workspaces/${own.workspaceId}/files/content?${query}`, {
        body: 'x',
      });
      const remove = await test.beta.request('DELETE', `/v1/workspaces/${own.workspaceId}/files?${query}`);
      expect([path, read.status, list.status, write.status, remove.status]).toEqual([path, 403, 403, 403, 403]);
    }
    // Nor does its agent, by its tools.
    for (const call of [`Read {"file_path":"${there}"}`, `Glob {"pattern":"**/*","path":".."}`]) {
      const said = saidIn(await test.beta.chat(sessionPath('coder', 'spy'), { text: `/call ${call}` }));
      expect(said).not.toContain('swordfish');
      expect(said).toContain('outside');
    }
  });

  it('hears of its own workspaces alone', async () => {
    const heard = framesOf(await test.beta.request('GET', '/v1/events'));
    const filtered = framesOf(await test.beta.request('GET', `/v1/events?workspaceId=${workspaceId}`));
    await test.alpha.chat(session, { text: '/say for alpha only' });
    await test.beta.chat(sessionPath('coder', 'mine'), { text: '/say for beta' });
    const types: unknown[] = [];
    await untilFrame(heard, ({ data }) => {
      const event = JSON.parse(data) as { type: string; sessionId?: string; workspaceId: string };
      types.push(event);
      return event.type === 'chat-ended';
    });
    expect(JSON.stringify(types)).not.toContain(workspaceId);
    expect(types.at(-1)).toMatchObject({ sessionId: 'mine', outcome: 'completed' });
    // Asked for by its id, there is nothing either: the stream ends with the service, without an event.
    test.service.events.close();
    expect((await filtered.next()).done).toBe(true);
    await heard.return();
  });
});

describe('who has no token', () => {
  it.each([
    ['none', undefined],
    ['a wrong one', 'Bearer token-of-nobody-0123456789'],
    ['a wrong scheme', 'Basic dG9rZW4='],
  ])('gets nothing with %s', async (_what, authorization) => {
    for (const path of ['/v1/status', '/v1/events', '/v1/workspaces', `${session}/messages`, '/v1/nothing']) {
      const response = await test.fetch(path, authorization === undefined ? {} : { headers: { authorization } });
      expect([path, response.status]).toEqual([path, 401]);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
    }
  });

  it('sees the health of the service, its document, and no metrics', async () => {
    expect((await test.fetch('/healthz')).status).toBe(200);
    expect((await test.fetch('/readyz')).status).toBe(200);
    expect((await test.fetch('/openapi.json')).status).toBe(200);
    expect((await test.fetch('/metrics')).status).toBe(403);
  });

  it('has to wait after many wrong tokens, while a right one is let in', async () => {
    const wrong = { headers: { authorization: 'Bearer token-of-nobody-0123456789' } };
    const answers: Response[] = [];
    while (answers.length < 25) answers.push(await test.fetch('/v1/status', wrong));
    expect(answers.at(-1)?.status).toBe(429);
    expect(answers.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/u);
    expect((await test.alpha.request('GET', '/v1/status')).status).toBe(200);
  });

  it('cannot come by a name that is not this machine', async () => {
    expect((await test.fetch('http://localhost/healthz')).status).toBe(200);
    const rebound = await test.fetch('http://evil.example/healthz');
    expect(rebound.status).toBe(403);
    expect(await rebound.json()).toMatchObject({ error: { code: 'host-not-allowed' } });
  });
});
