import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@agent-workspace/core';
import { backendOperations, encodeFrame } from '@agent-workspace/gateway-protocol';
import { LocalBackend } from '@agent-workspace/local';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AttachedHosts } from '../attached/attached-hosts.ts';
import { createGatewayApp, type GatewayApp } from './create-gateway-app.ts';

const TOKEN = 't'.repeat(43);

let workdir: string;
let backend: LocalBackend;
let hosts: AttachedHosts;
let app: GatewayApp;

beforeEach(async () => {
  workdir = await realpath(await mkdtemp(join(tmpdir(), 'gateway-app-')));
  backend = new LocalBackend({ workdir, roots: null });
  hosts = new AttachedHosts({ backend, logger: silentLogger });
  hosts.attachments.add({ attachmentId: 'one', token: TOKEN, ttlMs: 60_000 });
  app = createGatewayApp({ hosts, instance: 'i', bundleHash: async () => 'h', logger: silentLogger });
});
afterEach(async () => {
  await hosts.close();
  await backend.close();
  await rm(workdir, { recursive: true, force: true });
});

async function request(
  path: string,
  init: RequestInit & { readonly token?: string | undefined } = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  if (init.token !== '') headers.set('authorization', `Bearer ${init.token ?? TOKEN}`);
  return app.request(path, { ...init, headers });
}

const post = (path: string, body: unknown): Promise<Response> =>
  request(path, { method: 'POST', body: JSON.stringify(body) });

describe('the HTTP API', () => {
  it('has a route for each operation of the protocol, which asks for a token', async () => {
    for (const { route } of Object.values(backendOperations()) as readonly { route: string }[]) {
      expect([route, (await app.request(route, { method: 'POST', body: '{}' })).status]).toEqual([route, 401]);
      expect([route, (await request(route)).status]).toEqual([route, 405]);
    }
  });

  it('passes what an operation says on, and checks what it takes', async () => {
    await post('/files/make-directory', { path: 'a/b' });
    expect(await (await post('/files/list', { path: 'a' })).json()).toEqual({
      entries: [{ name: 'b', kind: 'directory' }],
    });
    const invalid = await post('/files/list', { path: ['a'] });
    expect(invalid.status).toBe(400);
    expect(await invalid.json()).toMatchObject({
      code: 'gateway-request-invalid',
      details: { operation: 'readDirectory', reason: expect.stringContaining('path') as string },
    });
  });

  it('writes a file that came in pieces, and nothing of one that broke off', async () => {
    const frames = [
      encodeFrame({ path: 'f', mode: 0o600 }, Buffer.from('one ')),
      encodeFrame({}, Buffer.from('two ')),
      encodeFrame({ end: true }, Buffer.from('three')),
    ];
    const write = (body: readonly Uint8Array[]): Promise<Response> =>
      request('/files/write', { method: 'POST', body: Buffer.concat(body) });
    expect(await (await write(frames)).json()).toMatchObject({ isNew: true, stat: { sizeBytes: 13, mode: 0o600 } });
    const broken = await write(frames.slice(0, 2));
    expect([broken.status, await broken.json()]).toMatchObject([400, { code: 'gateway-request-invalid' }]);
    expect(Buffer.from((await backend.readFile('f')).bytes).toString()).toBe('one two three');
    expect((await backend.readDirectory('.')).map(({ name }) => name)).toEqual(['f']);
  });

  it('gives a file with what it is, or as a stream', async () => {
    await backend.writeFile('f', 'content');
    const whole = Buffer.from(await (await post('/files/read', { path: 'f', offset: 3 })).arrayBuffer()).toString();
    const [header = '', content] = whole.split('\n');
    expect(JSON.parse(header)).toMatchObject({ stat: { kind: 'file', sizeBytes: 7 }, bytes: 4 });
    expect(content).toBe('tent');
    const streamed = await post('/files/open', { path: 'f', length: 4 });
    expect([streamed.headers.get('content-type'), await streamed.text()]).toEqual(['application/octet-stream', 'cont']);
  });

  it('carries trees there and back', async () => {
    const body = Buffer.concat([
      encodeFrame({ directory: 'tree' }),
      encodeFrame({ kind: 'directory', path: 'd' }),
      encodeFrame({ kind: 'file', path: 'd/f', mode: 0o755 }, Buffer.from('content')),
      encodeFrame({ kind: 'link', path: 'l', target: 'd/f' }),
    ]);
    const half = await request('/trees/write', { method: 'POST', body });
    expect([half.status, await half.json()]).toMatchObject([400, { code: 'gateway-request-invalid' }]);
    expect(await backend.stat('tree')).toBeUndefined();
    const whole = await request('/trees/write', {
      method: 'POST',
      body: Buffer.concat([body, encodeFrame({ kind: 'end' })]),
    });
    expect([whole.status, await whole.json()]).toEqual([200, {}]);
    const lines = (await (await post('/trees/read', { directory: 'tree' })).text()).split('\n');
    expect(lines.map((line) => line.replace(/"stat":\{.*?\},/, ''))).toEqual([
      '{"kind":"directory","path":"d","mode":493,"bytes":0}',
      '{"kind":"file","path":"d/f","mode":493,"bytes":7}',
      'content{"kind":"link","path":"l","target":"d/f","bytes":0}',
      '{"kind":"end","bytes":0}',
      '',
    ]);
  });

  it('knows no host but this machine, unless it is told so', async () => {
    expect((await app.request('http://gateway.example/health')).status).toBe(401);
    const other = createGatewayApp({
      hosts,
      instance: '',
      bundleHash: async () => '',
      logger: silentLogger,
      allowedHosts: ['Gateway.example'],
    });
    expect((await other.request('http://gateway.example:80/health')).status).toBe(200);
    expect((await other.request('http://gateway.example/health', { headers: { origin: 'x' } })).status).toBe(401);
  });

  it('reports a fault of its own as one, without its stack, and logs it', async () => {
    const error = vi.fn<(message: string, details?: Readonly<Record<string, unknown>>) => void>();
    const logging = createGatewayApp({
      hosts,
      instance: '',
      bundleHash: async () => '',
      logger: { ...silentLogger, error },
    });
    vi.spyOn(backend, 'realPath').mockRejectedValue(new TypeError('a fault'));
    const answer = await logging.request('/files/real-path', {
      method: 'POST',
      body: '{"path":"x"}',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(answer.status).toBe(500);
    const problem = await answer.text();
    expect(JSON.parse(problem)).toMatchObject({ code: 'gateway-failed', details: { problem: 'a fault' } });
    expect(problem).not.toContain('.ts');
    expect(error).toHaveBeenCalledWith('A request failed', {
      request: 'POST /files/real-path',
      error: expect.any(TypeError) as unknown,
    });
  });

  it('takes nothing more of an attachment that ends while its request comes in', async () => {
    const gate = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await gate.promise;
        controller.enqueue(Buffer.from('{"argv":["touch","late"]}'));
        controller.close();
      },
    });
    const answer = request('/processes', { method: 'POST', body, duplex: 'half' });
    await hosts.attachments.revoke('one');
    gate.resolve();
    expect((await answer).status).toBe(499);
    await expect.poll(() => backend.exec(['pgrep', '-f', 'touch late'])).toMatchObject({ end: { exitCode: 1 } });
  });
});
