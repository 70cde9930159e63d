import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bash, EnvdProcess, encodeFrame, outputOf } from './support/envd-process.ts';

const LIST = 'process.Process/List';

describe('envd over HTTP', () => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start();
  });
  afterAll(() => envd[Symbol.asyncDispose]());

  const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(envd.url + path, init);
  const post = (
    path: string,
    type: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Response> => get(path, { method: 'POST', body, headers: { 'content-type': type, ...headers } });

  it('is healthy with 204 and no body', async () => {
    const answer = await get('/health');
    expect([answer.status, await answer.text()]).toEqual([204, '']);
  });

  it('answers 404 to what it does not have', async () => {
    const answer = await get('/no/such/route');
    expect([answer.status, await answer.text()]).toEqual([404, '404 page not found\n']);
    expect((await post('/process.Process/NoSuch', 'application/json', '{}')).status).toBe(404);
    expect((await post('/no.Such/List', 'application/json', '{}')).status).toBe(404);
    expect((await post('/process.Process/constructor', 'application/json', '{}')).status).toBe(404);
  });

  it('measures the machine', async () => {
    const metrics = (await (await get('/metrics')).json()) as Record<string, number>;
    expect(Object.keys(metrics).toSorted()).toEqual([
      'cpu_count',
      'cpu_used_pct',
      'disk_total',
      'disk_used',
      'mem_cache',
      'mem_total',
      'mem_total_mib',
      'mem_used',
      'mem_used_mib',
      'ts',
    ]);
    expect(metrics['mem_total']).toBeGreaterThan(metrics['mem_used'] ?? Infinity);
    expect(Math.abs((metrics['ts'] ?? 0) - Date.now() / 1000)).toBeLessThan(5);
  });

  it('takes a procedure only by POST and in its own content type', async () => {
    expect((await get(`/${LIST}`)).status).toBe(405);
    expect((await post(`/${LIST}`, 'application/proto', '')).status).toBe(415);
    expect((await post(`/${LIST}`, 'application/connect+json', encodeFrame({}))).status).toBe(415);
    expect((await post(`/${LIST}`, 'application/json; charset=utf-8', '{}')).status).toBe(200);
  });

  it.each([
    ['nothing', ''],
    ['what is not JSON', '{'],
    ['what is no message', '[1]'],
  ])('answers invalid_argument to %s', async (_, body) => {
    const answer = await post(`/${LIST.replace('List', 'CloseStdin')}`, 'application/json', body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'invalid_argument' });
  });

  it('answers invalid_argument in the end frame to a stream of what are no frames', async () => {
    const answer = await post('/process.Process/Start', 'application/connect+json', 'xx');
    expect(answer.status).toBe(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.readUInt8(0)).toBe(2);
    expect(JSON.parse(String(bytes.subarray(5)))).toMatchObject({ error: { code: 'invalid_argument' } });
  });

  it('refuses another version of the protocol, and a deadline that is none', async () => {
    const version = await post(`/${LIST}`, 'application/json', '{}', { 'connect-protocol-version': '2' });
    expect([version.status, await version.json()]).toEqual([
      400,
      { code: 'invalid_argument', message: 'connect-protocol-version must be "1": got "2"' },
    ]);
    const deadline = await post(`/${LIST}`, 'application/json', '{}', { 'connect-timeout-ms': 'soon' });
    expect([deadline.status, await deadline.json()]).toMatchObject([400, { code: 'invalid_argument' }]);
  });

  it.each([
    ['an unknown user', { 'content-type': 'application/json', authorization: `Basic ${btoa('nobody-here:')}` }, 401],
    ['another content type', { 'content-type': 'text/plain' }, 415],
  ])('answers %s before the body is there, and the answer arrives', async (_, headers, status) => {
    const early = request(`${envd.url}/${LIST}`, { method: 'POST', headers: { ...headers, connection: 'close' } });
    early.flushHeaders();
    await once(early, 'socket');
    for (let part = 0; part < 20; part += 1) {
      await nextTurn();
      early.write(' '.repeat(10_000));
    }
    early.end('{}');
    const [answer] = (await once(early, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(status);
    await buffer(answer);
  });

  it('compresses where the client accepts it, and takes compressed requests', async () => {
    const plain = await get(`/${LIST}`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const compressed = await post(`/${LIST}`, 'application/json', gzipSync('{}'), {
      'content-encoding': 'gzip',
      'accept-encoding': 'gzip',
    });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(await compressed.json()).toEqual({});
    const unknown = await post(`/${LIST}`, 'application/json', '{}', { 'content-encoding': 'br' });
    expect([unknown.status, await unknown.json()]).toMatchObject([501, { code: 'unimplemented' }]);
  });

  it('compresses the frames of a stream where the client accepts it', async () => {
    const start = { process: { cmd: 'true' }, stdin: false };
    const answer = await envd.open('process.Process/Start', start, { headers: { 'connect-accept-encoding': 'gzip' } });
    expect(answer.headers.get('connect-content-encoding')).toBe('gzip');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.readUInt8(0)).toBe(1);
    const payload = bytes.subarray(5, 5 + bytes.readUInt32BE(1));
    expect(JSON.parse(String(gunzipSync(payload)))).toHaveProperty('event.start.pid');
  });

  it('lets web pages in', async () => {
    const preflight = await get(`/${LIST}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const actual = await get('/health', { headers: { origin: 'https://a.example' } });
    expect(actual.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('POST /init', () => {
  const init = (envd: EnvdProcess, body: object | string, token?: string): Promise<Response> =>
    fetch(`${envd.url}/init`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(token !== undefined && { 'x-access-token': token }) },
    });
  const list = (envd: EnvdProcess, token?: string): Promise<Response> =>
    fetch(`${envd.url}/${LIST}`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', ...(token !== undefined && { 'x-access-token': token }) },
    });

  it('sets the token the first time, and needs the same later', async () => {
    await using envd = await EnvdProcess.start();
    const first = await init(envd, { accessToken: 'one' });
    expect([first.status, first.headers.get('x-envd-version')]).toEqual([204, '0.6.13']);
    expect((await init(envd, { accessToken: 'two' })).status).toBe(401);
    expect((await init(envd, {})).status).toBe(401);
    expect((await init(envd, { accessToken: 'one', envVars: { A: '1' } })).status).toBe(204);
    const refused = await list(envd);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toEqual({
      code: 401,
      message: 'unauthorized access, please provide a valid access token or method signing if supported',
    });
    expect((await list(envd, 'two')).status).toBe(401);
    expect((await list(envd, 'one')).status).toBe(200);
    expect((await fetch(`${envd.url}/envs`)).status).toBe(401);
    expect((await fetch(`${envd.url}/no/such/route`)).status).toBe(401);
    expect((await fetch(`${envd.url}/health`)).status).toBe(204);
    const envs = await fetch(`${envd.url}/envs`, { headers: { 'x-access-token': 'one' } });
    expect(await envs.json()).toMatchObject({ A: '1', E2B_SANDBOX: 'true' });
  });

  it('adds variables, and ignores a request that is older than the last', async () => {
    await using envd = await EnvdProcess.start();
    await init(envd, { envVars: { A: '1', B: '1' }, timestamp: '2026-01-02T00:00:00Z' });
    await init(envd, { envVars: { A: '2' }, timestamp: '2026-01-01T00:00:00Z' });
    await init(envd, { envVars: { B: '3' } });
    expect(await (await fetch(`${envd.url}/envs`)).json()).toMatchObject({ A: '1', B: '3' });
  });

  it('says who acts, where, and with which variables, where a request does not', async () => {
    await using envd = await EnvdProcess.start();
    await init(envd, { defaultUser: 'root', defaultWorkdir: '/usr/lib', envVars: { A: 'of the sandbox' } });
    const script = 'echo $USER $PWD $A';
    const { frames } = await envd.stream('process.Process/Start', bash(script));
    expect(outputOf(frames, 'stdout')).toBe('root /usr/lib of the sandbox\n');
    const own = bash(script, { process: { cwd: '/usr', envs: { A: 'of the request' } } });
    const { frames: others } = await envd.stream('process.Process/Start', own, { user: 'user' });
    expect(outputOf(others, 'stdout')).toBe('user /usr of the request\n');
    await init(envd, { defaultUser: '', defaultWorkdir: '' });
    expect(outputOf((await envd.stream('process.Process/Start', bash(script))).frames, 'stdout')).toContain(
      'root /usr/lib',
    );
  });

  it('answers 400 to what is not JSON, and takes an empty body', async () => {
    await using envd = await EnvdProcess.start();
    expect((await init(envd, '{')).status).toBe(400);
    expect((await init(envd, '')).status).toBe(204);
  });
});
