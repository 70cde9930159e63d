import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { E2BEmulator } from '../src/index.ts';
import { Api, lifeSeconds, type SandboxJson } from './support/api.ts';

describe('the control plane', () => {
  let emulator: E2BEmulator;
  let api: Api;
  beforeAll(async () => {
    const templates = { base: { aliases: ['small'], cpuCount: 4, memoryMB: 1024 }, other: {} };
    emulator = await E2BEmulator.start({ isolation: 'process', templates });
    api = new Api(emulator);
  });
  afterAll(() => emulator.close());

  describe('errors', () => {
    it('lets nobody in without a key', async () => {
      const response = await fetch(`${emulator.url}/v2/sandboxes`);
      expect([response.status, await response.json()]).toEqual([
        401,
        { code: 401, message: 'Missing API key: send any as X-API-KEY' },
      ]);
    });

    it.each([
      ['no JSON', '{'],
      ['no template', {}],
      ['a time of no seconds', { templateID: 'base', timeout: 0 }],
      ['a time longer than any plan has', { templateID: 'base', timeout: 86_401 }],
      ['a time that is no number', { templateID: 'base', timeout: 'soon' }],
      ['metadata that are no strings', { templateID: 'base', metadata: { a: 1 } }],
      ['a pause without memory that never comes', { templateID: 'base', autoPauseMemory: false }],
      [
        'a pause without memory that requests end',
        { templateID: 'base', autoPause: true, autoPauseMemory: false, autoResume: { enabled: true } },
      ],
    ])('refuses a sandbox with %s', async (_what, body) => {
      expect(await api.call('POST', '/v2/sandboxes', body)).toMatchObject({ status: 400, body: { code: 400 } });
    });

    it('says which template or tag it does not know', async () => {
      expect(await api.call('POST', '/v2/sandboxes', { templateID: 'x' })).toMatchObject({
        status: 404,
        body: { code: 404, message: "template 'x' not found" },
      });
      expect(await api.call('POST', '/v2/sandboxes', { templateID: 'base:v9' })).toMatchObject({ status: 404 });
    });

    it.each([
      ['GET', '/sandboxes/i0123'],
      ['DELETE', '/sandboxes/i0123'],
      ['POST', '/sandboxes/i0123/pause'],
      ['POST', '/v2/sandboxes/i0123/connect'],
      ['GET', '/sandboxes/i0123/metrics'],
      ['GET', '/nonsense'],
    ])('answers 404 with its code to %s %s', async (method, path) => {
      const answer = await api.call(method, path, method === 'POST' ? {} : undefined);
      expect(answer).toMatchObject({ status: 404, body: { code: 404, message: expect.any(String) } });
    });

    it.each([
      ['snapshots', 'POST', '/sandboxes/i0123/snapshots'],
      ['snapshots', 'GET', '/snapshots?limit=3'],
      ['forking sandboxes', 'POST', '/sandboxes/i0123/fork'],
      ['volumes', 'GET', '/volumes'],
      ['volumes', 'GET', '/volumes/v1'],
      ['secrets', 'POST', '/secrets'],
      ['building templates', 'POST', '/v3/templates'],
      ['building templates', 'DELETE', '/templates/t1'],
    ])('says that it does not emulate %s: %s %s', async (feature, method, path) => {
      expect(await api.call(method, path, method === 'POST' ? {} : undefined)).toMatchObject({
        status: 501,
        body: { code: 501, message: `The E2B emulator does not emulate ${feature}.` },
      });
    });

    it('refuses what a sandbox would need that is not emulated', async () => {
      const volumeMounts = [{ name: 'data', path: '/data' }];
      expect(await api.call('POST', '/v2/sandboxes', { templateID: 'base', volumeMounts })).toMatchObject({
        status: 501,
      });
    });
  });

  it('creates by both routes, each with its own defaults', async () => {
    const v1 = await api.call('POST', '/sandboxes', { templateID: 'small' });
    const v2 = await api.create();
    const first = v1.body as SandboxJson;
    expect(v1.status).toBe(201);
    expect(first.sandboxID).toMatch(/^i[a-z0-9]{20}$/);
    expect([first.envdAccessToken, first.domain]).toEqual([undefined, emulator.domain]);
    expect(v2.envdAccessToken).toMatch(/^[0-9a-f]{64}$/);
    expect(v2.templateID).toBe(first.templateID);
    expect(await api.get(first.sandboxID)).toMatchObject({
      alias: 'base',
      clientID: '6532622b',
      state: 'running',
      cpuCount: 4,
      memoryMB: 1024,
      lifecycle: { onTimeout: 'kill', autoResume: false },
    });
    expect(lifeSeconds(await api.get(first.sandboxID))).toBeCloseTo(15, 0);
    expect(lifeSeconds(await api.get(v2.sandboxID))).toBeCloseTo(300, 0);
  });

  it('takes an id with the client behind it', async () => {
    const { sandboxID } = await api.create();
    expect(await api.get(`${sandboxID}-6532622b`)).toMatchObject({ sandboxID });
  });

  it('connects: 200 to one that runs and never shortens it, 201 to one that it resumes', async () => {
    const { sandboxID } = await api.create({ timeout: 600 });
    const before = await api.get(sandboxID);
    expect((await api.call('POST', `/v2/sandboxes/${sandboxID}/connect`, {})).status).toBe(200);
    expect((await api.get(sandboxID)).endAt).toBe(before.endAt);
    await api.call('POST', `/sandboxes/${sandboxID}/connect`, { timeout: 900 });
    expect(lifeSeconds(await api.get(sandboxID))).toBeGreaterThan(890);
    expect((await api.call('POST', `/sandboxes/${sandboxID}/connect`, {})).status).toBe(400);
    expect((await api.call('POST', `/sandboxes/${sandboxID}/pause`, {})).status).toBe(204);
    expect((await api.call('POST', `/v2/sandboxes/${sandboxID}/connect`, { timeout: 60 })).status).toBe(201);
    expect(lifeSeconds(await api.get(sandboxID))).toBeCloseTo(60, 0);
  });

  it('pauses once and resumes once', async () => {
    const { sandboxID } = await api.create();
    const post = async (action: string): Promise<number> =>
      (await api.call('POST', `/sandboxes/${sandboxID}/${action}`, {})).status;
    expect(await post('resume')).toBe(409);
    expect(await post('pause')).toBe(204);
    expect(await post('pause')).toBe(409);
    expect((await api.call('POST', `/sandboxes/${sandboxID}/timeout`, { timeout: 9 })).status).toBe(404);
    expect((await api.call('PUT', `/sandboxes/${sandboxID}/network`, {})).status).toBe(409);
    expect(await post('resume')).toBe(201);
    expect(lifeSeconds(await api.get(sandboxID))).toBeCloseTo(15, 0);
  });

  it('keeps what the network is told, and clears what it is not told', async () => {
    const { sandboxID } = await api.create({ network: { allowOut: ['1.1.1.1'], maskRequestHost: 'masked' } });
    const path = `/sandboxes/${sandboxID}/network`;
    expect((await api.call('PUT', path, { denyOut: ['0.0.0.0/0'], allow_internet_access: false })).status).toBe(204);
    expect(await api.get(sandboxID)).toMatchObject({
      allowInternetAccess: false,
      network: { denyOut: ['0.0.0.0/0'], maskRequestHost: 'masked' },
    });
    expect(await api.get(sandboxID)).not.toHaveProperty('network.allowOut');
  });

  it('measures, and has nothing of before the birth', async () => {
    const { sandboxID } = await api.create();
    const { body } = await api.call('GET', `/sandboxes/${sandboxID}/metrics`);
    expect(body).toMatchObject([{ cpuCount: expect.any(Number), memTotal: expect.any(Number) }]);
    const [{ memUsed, timestampUnix }] = body as [{ memUsed: number; timestampUnix: number }];
    expect(memUsed).toBeGreaterThan(0);
    expect(timestampUnix).toBeCloseTo(Date.now() / 1000, -1);
    expect((await api.call('GET', `/sandboxes/${sandboxID}/metrics?start=1000&end=2000`)).body).toEqual([]);
  });

  it('knows which templates exist', async () => {
    expect((await api.call('GET', '/templates/aliases/small')).status).toBe(200);
    expect((await api.call('GET', '/templates/aliases/x')).status).toBe(404);
  });

  describe('the list', () => {
    const run = randomUUID();
    const made: SandboxJson[] = [];
    const list = async (query: string): Promise<{ readonly ids: readonly string[]; readonly headers: Headers }> => {
      const metadata = encodeURIComponent(new URLSearchParams({ run }).toString());
      const { status, body, headers } = await api.call('GET', `/v2/sandboxes?metadata=${metadata}${query}`);
      expect(status).toBe(200);
      return { ids: (body as SandboxJson[]).map(({ sandboxID }) => sandboxID), headers };
    };
    const ids = (...indexes: number[]): (string | undefined)[] => indexes.map((index) => made[index]?.sandboxID);

    beforeAll(async () => {
      for (const templateID of ['base', 'other', 'base']) {
        made.push(await api.create({ templateID, metadata: { run, 'a key': 'v&=é' } }));
      }
      await api.call('POST', `/sandboxes/${made[0]?.sandboxID ?? ''}/pause`, {});
    });

    it('begins with the newest, or the oldest', async () => {
      expect((await list('')).ids).toEqual(ids(2, 1, 0));
      expect((await list('&order=asc')).ids).toEqual(ids(0, 1, 2));
    });

    it('goes by state, and counts those that run', async () => {
      const paused = await list('&state=paused');
      expect([paused.ids, paused.headers.get('x-total-running')]).toEqual([ids(0), null]);
      const running = await list('&state=running');
      expect([running.ids, running.headers.get('x-total-running')]).toEqual([ids(2, 1), '2']);
      expect((await list('&state=running,paused')).ids).toEqual(ids(2, 1, 0));
    });

    it('goes by template, by id or name, and by time', async () => {
      expect((await list('&template=other')).ids).toEqual(ids(1));
      expect((await list(`&template=${made[0]?.templateID ?? ''}`)).ids).toEqual(ids(2, 0));
      const { startedAt } = await api.get(made[1]?.sandboxID ?? '');
      expect((await list(`&startedAfter=${startedAt}`)).ids).toEqual(ids(2, 1));
    });

    it('comes in pages', async () => {
      const first = await list('&limit=2');
      const token = first.headers.get('x-next-token');
      expect([first.ids, token]).toEqual([ids(2, 1), expect.any(String)]);
      const second = await list(`&limit=2&nextToken=${encodeURIComponent(token ?? '')}`);
      expect([second.ids, second.headers.get('x-next-token')]).toEqual([ids(0), null]);
    });

    it('takes metadata as the SDK encodes it', async () => {
      const query = 'a%252520key%3Dv%252526%25253D%2525C3%2525A9';
      const { body } = await api.call('GET', `/v2/sandboxes?metadata=${query}`);
      expect((body as SandboxJson[]).map(({ sandboxID }) => sandboxID)).toEqual(ids(2, 1, 0));
    });

    it.each(['limit=0', 'limit=x', 'state=dead', 'order=up', 'nextToken=bad', 'metadata=alone', 'startedAfter=x'])(
      'refuses %s',
      async (query) => {
        expect(await api.call('GET', `/v2/sandboxes?${query}`)).toMatchObject({ status: 400, body: { code: 400 } });
      },
    );

    it('has only those that run by the older route', async () => {
      const { body } = await api.call('GET', '/sandboxes');
      const found = (body as SandboxJson[]).map(({ sandboxID }) => sandboxID);
      expect(found).toEqual(expect.arrayContaining(ids(2, 1)));
      expect(found).not.toContain(made[0]?.sandboxID);
    });
  });
});
