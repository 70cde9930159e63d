import { fixtureServer, skillText, tarArchive, zipArchive } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionPath, saidIn } from './support/client.ts';
import { openTestService, type TestService } from './support/in-process.ts';

interface Workspace {
  readonly workspaceId: string;
  readonly status: string;
  readonly evictsInMs: number | null;
}

let test: TestService;
let workspaceId: string;
let base: string;
beforeAll(async () => {
  test = await openTestService({ isSingleTenant: true });
  ({ workspaceId } = await test.alpha.json<Workspace>('POST', '/v1/workspaces', { agentId: 'coder', sessionId: 's' }));
  base = `/v1/workspaces/${workspaceId}`;
});
afterAll(async () => {
  await test[Symbol.asyncDispose]();
});

const put = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  test.alpha.request('PUT', `${base}/files/content?path=${encodeURIComponent(path)}`, { body, headers });
const get = (path: string, headers: Record<string, string> = {}, more = ''): Promise<Response> =>
  test.alpha.request('GET', `${base}/files/content?path=${encodeURIComponent(path)}${more}`, { headers });

describe('files', () => {
  it('writes, lists, reads a range, and removes', async () => {
    const made = await put('a/b/x.txt', 'hello world');
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ path: 'a/b/x.txt', sizeBytes: 11 });
    const again = await put('a/b/x.txt', 'HELLO WORLD');
    expect(again.status).toBe(200);
    const { entries } = await test.alpha.json<{ entries: unknown[] }>('GET', `${base}/files?path=a/b`);
    expect(entries).toMatchObject([{ name: 'x.txt', path: 'a/b/x.txt', kind: 'file', sizeBytes: 11 }]);
    const part = await get('a/b/x.txt', { range: 'bytes=6-' });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 6-10/11',
      'WORLD',
    ]);
    expect((await get('a/b/x.txt', { range: 'bytes=11-' })).status).toBe(416);
    expect((await test.alpha.request('DELETE', `${base}/files?path=a`)).ok).toBe(false);
    expect((await test.alpha.request('DELETE', `${base}/files?path=a&recursive=true`)).status).toBe(204);
    expect((await get('a/b/x.txt')).status).toBe(404);
  });

  it('writes only over what the client knows', async () => {
    const { etag: first } = (await (await put('v.txt', 'two')).json()) as { etag: string };
    expect((await put('v.txt', 'three', { 'if-match': first })).status).toBe(200);
    expect((await put('v.txt', 'four', { 'if-match': first })).status).toBe(412);
    expect((await put('v.txt', 'five', { 'if-none-match': '*' })).status).toBe(409);
    const { etag: now } = (await (await put('v.txt', 'six')).json()) as { etag: string };
    expect((await get('v.txt', { 'if-none-match': now })).status).toBe(304);
  });

  it('is never a page of the service', async () => {
    await put('page "1".html', '<script>alert(1)</script>');
    await put('image.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    for (const path of ['page "1".html', 'image.svg']) {
      for (const more of ['', '&inline=1']) {
        const { headers } = await get(path, {}, more);
        expect(headers.get('content-type')).toMatch(/^(application\/octet-stream|text\/plain; charset=utf-8)$/u);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('content-security-policy')).toMatch(/^sandbox;/u);
        expect(headers.get('content-disposition')).toMatch(more === '' ? /^attachment; / : /^inline; /u);
      }
    }
    const { headers } = await get('page "1".html');
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="page _1_.html"; filename*=UTF-8''page%20%221%22.html`,
    );
  });

  it('stays in the workdir, whatever links its agent makes', async () => {
    await test.directory.write({ 'outside.txt': 'secret' });
    const outside = test.directory.path;
    await test.alpha.chat(sessionPath('coder', 's'), {
      text: `/run ln -s ${outside} out; ln -s ${outside}/outside.txt o.txt`,
    });
    expect((await get('out/outside.txt')).status).toBe(403);
    expect((await get('o.txt')).status).toBe(403);
    expect((await put('out/new.txt', 'x')).status).toBe(403);
    expect((await put('o.txt', 'x')).ok).toBe(false);
    expect((await test.alpha.request('DELETE', `${base}/files?path=out/outside.txt`)).status).toBe(403);
    // A link itself is the workspace's own.
    expect((await test.alpha.request('DELETE', `${base}/files?path=o.txt`)).status).toBe(204);
    expect((await test.alpha.request('DELETE', `${base}/files?path=out&recursive=true`)).status).toBe(204);
    expect(await test.directory.names()).toContain('outside.txt');
    for (const path of ['.mcp', '.MCP', '.workspace/state.json', 'x/../.workspace/state.json', '.']) {
      expect([path, (await put(path, 'x')).status]).toEqual([path, 403]);
    }
  });

  it('takes no more than it may', async () => {
    const response = await put('big', 'x', { 'content-length': String(200 * 1024 ** 2) });
    expect(response.status).toBe(413);
  });
});

describe('skills', () => {
  const text = skillText({ name: 'greet', description: 'Greets.' });

  it.each([
    ['a zip', () => zipArchive([{ name: 'greet/SKILL.md', content: text }])],
    ['a tar', () => tarArchive([{ name: 'greet/SKILL.md', content: text }])],
  ])('takes %s, lists and removes it', async (_what, archive) => {
    const added = await test.alpha.request('POST', `${base}/skills`, { body: new Uint8Array(archive()) });
    expect(added.status).toBe(201);
    expect(await added.json()).toMatchObject({ name: 'greet', description: 'Greets.' });
    expect(await test.alpha.json('GET', `${base}/skills`)).toMatchObject({ skills: [{ name: 'greet' }] });
    expect(
      saidIn(await test.alpha.chat(sessionPath('coder', 's'), { text: '/call Skill {"skill":"greet"}' })),
    ).toContain('greet');
    expect((await test.alpha.request('DELETE', `${base}/skills/greet`)).status).toBe(204);
    expect(await test.alpha.json('GET', `${base}/skills`)).toEqual({ skills: [] });
  });

  it('takes a folder as a form', async () => {
    const form = new FormData();
    form.append('files', new File([text], 'greet/SKILL.md'));
    form.append('files', new File(['echo hi'], 'greet/scripts/hi.sh'));
    const added = await test.alpha.request('POST', `${base}/skills`, { body: form });
    expect(added.status).toBe(201);
    const { path } = (await added.json()) as { path: string };
    const script = path.replace('SKILL.md', 'scripts/hi.sh');
    expect(await (await get(script)).text()).toBe('echo hi');
    await test.alpha.request('DELETE', `${base}/skills/greet`);
  });

  it.each(['../SKILL.md', '/etc/SKILL.md', 'a/../../SKILL.md'])('refuses a file called %s', async (name) => {
    const form = new FormData();
    form.append('files', new File([text], name));
    const added = await test.alpha.request('POST', `${base}/skills`, { body: form });
    expect(added.status).toBe(400);
  });

  it.each([
    ['two files of one name', ['greet/SKILL.md', 'greet/SKILL.md']],
    ['a file in which another is to be', ['greet/SKILL.md', 'greet/SKILL.md/more']],
    ['a name that is too long', ['greet/SKILL.md', `greet/${'n'.repeat(256)}`]],
  ])('refuses a form of %s', async (_what, names) => {
    const form = new FormData();
    for (const name of names) form.append('files', new File([text], name));
    const added = await test.alpha.request('POST', `${base}/skills`, { body: form });
    expect(added.status).toBe(400);
    expect(await added.json()).toMatchObject({ error: { code: 'path-invalid' } });
  });

  it('refuses what is no skill', async () => {
    const response = await test.alpha.request('POST', `${base}/skills`, { body: 'nothing of the kind' });
    expect(response.status).toBe(400);
  });
});

describe('MCP servers', () => {
  it('adds one, shows its health and stderr, restarts and removes it', async () => {
    const declaration = { name: 'echo', ...fixtureServer('echo'), env: { TOKEN: 'very-secret' } };
    const added = await test.alpha.request('POST', `${base}/mcps`, { json: declaration });
    expect(added.status).toBe(201);
    expect(await added.json()).toMatchObject({ mcps: [{ name: 'echo', env: ['TOKEN'], health: { kind: 'idle' } }] });

    const { tools } = await test.alpha.json<{ tools: { name: string }[] }>('GET', `${base}/mcps/echo/tools`);
    expect(tools.map(({ name }) => name)).toContain('mcp__echo__echo');
    const pid = async (): Promise<unknown> => {
      const { mcps } = await test.alpha.json<{ mcps: { health: { kind: string; pid?: number } }[] }>(
        'GET',
        `${base}/mcps`,
      );
      expect(mcps[0]?.health.kind).toBe('connected');
      return mcps[0]?.health.pid;
    };
    const before = await pid();
    expect(await test.alpha.json('POST', `${base}/mcps/echo/restart`)).toMatchObject({ health: { kind: 'connected' } });
    expect(await pid()).not.toBe(before);
    const all = await (await test.alpha.request('GET', `${base}/mcps`)).text();
    expect(all).not.toContain('very-secret');

    const listed = await test.alpha.json<{ tools: { name: string; server?: string }[] }>('GET', `${base}/tools`);
    expect(listed.tools.find(({ name }) => name === 'mcp__echo__echo')).toMatchObject({ server: 'echo' });
    const said = saidIn(
      await test.alpha.chat(sessionPath('coder', 's'), { text: '/call mcp__echo__echo {"text":"over there"}' }),
    );
    expect(said).toContain('over there');
    expect((await test.alpha.request('DELETE', `${base}/mcps/echo`)).status).toBe(204);
    expect(await test.alpha.json('GET', `${base}/mcps`)).toEqual({ mcps: [] });
  });

  it('says what a server wrote before it died', async () => {
    await test.alpha.json('POST', `${base}/mcps`, { name: 'boom', ...fixtureServer('crash-at-start') });
    const restarted = await test.alpha.request('POST', `${base}/mcps/boom/restart`);
    expect(restarted.status).toBe(502);
    const { mcps } = await test.alpha.json<{ mcps: unknown[] }>('GET', `${base}/mcps`);
    expect(mcps).toMatchObject([
      { name: 'boom', health: { kind: 'failed' }, stderrTail: expect.stringContaining('boom') as string },
    ]);
    const { problems } = await test.alpha.json<{ problems: unknown[] }>('GET', `${base}/tools`);
    expect(problems).toMatchObject([{ server: 'boom' }]);
    await test.alpha.request('DELETE', `${base}/mcps/boom`);
  });
});

describe('sessions', () => {
  it('offloads what is long, and gives it back until it is deleted', async () => {
    const session = sessionPath('coder', 'long');
    await test.alpha.chat(session, { text: '/run seq 1 20000' });
    const { results } = await test.alpha.json<{ results: { name: string; path: string }[] }>(
      'GET',
      `${session}/results`,
    );
    expect(results).toHaveLength(1);
    const [result] = results;
    const text = await test.alpha.request('GET', `${session}/results/${result?.name}`, {
      headers: { range: 'bytes=0-3' },
    });
    expect([text.status, await text.text()]).toEqual([206, '1\n2\n']);
    for (const name of ['..%2F..%2F.mcp', 'context.jsonl', 'tool_result-..%2Fx.txt']) {
      expect((await test.alpha.request('GET', `${session}/results/${name}`)).status).toBe(404);
    }
    expect((await test.alpha.request('DELETE', session)).status).toBe(204);
    expect((await get(result?.path ?? '')).status).toBe(404);
    expect((await test.alpha.request('GET', session)).status).toBe(404);
  });

  it('has what was compressed, each message once', async () => {
    await using small = await openTestService({ contextBudgetTokens: 600 });
    const session = sessionPath('coder', 'compressed');
    for (let turn = 1; turn <= 6; turn += 1)
      await small.alpha.chat(session, { text: `Turn ${turn}. ${'word '.repeat(100)}` });
    const { messages } = await small.alpha.json<{ messages: { id: string }[] }>('GET', `${session}/context`);
    expect(messages.length).toBeGreaterThan(4);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    expect(await small.alpha.messages(session)).toHaveLength(12);
  });

  it('pages through many', async () => {
    const ids = ['p1', 'p2', 'p3'];
    for (const id of ids) await test.alpha.chat(sessionPath('pager', id), { text: `/say ${id}` });
    type Page = { readonly sessions: { readonly sessionId: string }[]; readonly next?: string };
    const first = await test.alpha.json<Page>('GET', '/v1/sessions?agentId=pager&limit=2');
    const second = await test.alpha.json<Page>('GET', `/v1/sessions?agentId=pager&limit=2&before=${first.next}`);
    expect([first, second].map(({ sessions }) => sessions.map(({ sessionId }) => sessionId))).toEqual([
      ['p3', 'p2'],
      ['p1'],
    ]);
  });
});

describe('the life of a workspace', () => {
  it('says how long it is open, closes with its data kept, and is destroyed with all', async () => {
    const session = sessionPath('mortal', 's');
    await test.alpha.chat(session, { text: 'remember' });
    const { workspaceId: id } = await test.alpha.json<Workspace>('GET', session);
    const open = await test.alpha.json<Workspace>('GET', `/v1/workspaces/${id}`);
    expect(open).toMatchObject({ status: 'open', isInUse: false });
    expect(open.evictsInMs).toBeGreaterThan(3_000_000);
    expect(open.evictsInMs).toBeLessThanOrEqual(3_600_000);
    expect(await test.alpha.json('POST', `/v1/workspaces/${id}/close`)).toMatchObject({
      status: 'closed',
      evictsInMs: null,
    });
    const kept = await test.alpha.request('GET', `/v1/workspaces/${id}/files/content?path=notes/1.md`);
    expect(await kept.text()).toContain('remember');
    expect(await test.alpha.json('GET', `/v1/workspaces/${id}`)).toMatchObject({ status: 'open' });
    expect((await test.alpha.request('DELETE', `/v1/workspaces/${id}`)).status).toBe(204);
    expect((await test.alpha.request('GET', `/v1/workspaces/${id}`)).status).toBe(404);
    expect((await test.alpha.request('GET', session)).status).toBe(404);
  });

  it('is neither closed nor destroyed under a turn', async () => {
    const session = sessionPath('busy', 's');
    const response = await test.alpha.request('POST', `${session}/chat`, { json: { text: '/hang' } });
    const { workspaceId: id } = await test.alpha.json<Workspace>('GET', session);
    for (const [method, path] of [
      ['POST', `/v1/workspaces/${id}/close`],
      ['DELETE', `/v1/workspaces/${id}`],
    ] as const) {
      const refused = await test.alpha.request(method, path);
      expect([refused.status, await refused.json()]).toMatchObject([409, { error: { code: 'workspace-in-use' } }]);
    }
    await test.alpha.json('POST', `${session}/chat/stop`);
    await response.body?.cancel();
  });
});
