import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { encodeFrame } from '@agent-workspace/gateway-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayBundle } from '../src/bundle/gateway-bundle.ts';
import { GatewayProcess, newToken, type RequestOptions } from './support/gateway-process.ts';
import { NODES } from './support/nodes.ts';

describe.each(NODES)('access to the gateway on $name', ({ node }) => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await GatewayProcess.start({ node });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const touch = (name: string): RequestOptions => ({
    body: encodeFrame({ argv: ['touch', name], hasStdin: false, streams: false, end: true }),
  });
  const isThere = async (path: string): Promise<boolean> =>
    ((await gateway.request('/files/stat', { json: { path } })).json() as { stat?: unknown }).stat !== undefined;

  it('says without a token only that it is alive', async () => {
    const answer = await gateway.request('/health', { token: null });
    expect([answer.status, answer.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('says with a token which build it is, and where it works', async () => {
    expect((await gateway.request('/health')).json()).toEqual({
      status: 'ok',
      protocol: 1,
      bundleHash: (await gatewayBundle()).hash,
      instance: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      kind: 'process',
      workdir: gateway.workdir,
      attachmentId: 'first',
      attachments: 1,
    });
  });

  it('[X15] refuses what has no token or a wrong one, and starts no process for it', async () => {
    const wrong = ['', 'x', gateway.token.slice(1), `${gateway.token}a`, newToken()];
    for (const token of [null, ...wrong]) {
      const answer = await gateway.request('/exec', { token, ...touch('intruder') });
      expect(answer.status).toBe(401);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(answer.json()).toMatchObject({ code: 'gateway-unauthorized', status: 401 });
    }
    const basic = { token: null, headers: { authorization: `Basic ${gateway.token}` } };
    expect((await gateway.request('/health', basic)).status).toBe(401);
    expect(await isThere('intruder')).toBe(false);
  });

  it('[X15] refuses a foreign Host and any Origin, token or not', async () => {
    for (const headers of [
      { host: 'evil.com' },
      { host: 'localhost.evil.com:80' },
      { origin: 'http://localhost' },
      { origin: 'null' },
    ]) {
      const answer = await gateway.request('/exec', { headers, ...touch('intruder') });
      expect([answer.status, headers]).toEqual([401, headers]);
    }
    for (const host of ['', 'localhost/x', 'a b', 'localhost@evil.com']) {
      const answer = await gateway.request('/exec', { headers: { host }, ...touch('intruder') });
      expect([host, answer.status, answer.headers['content-type']]).toEqual([host, 400, 'application/problem+json']);
    }
    for (const host of ['localhost', 'localhost:1234', '127.0.0.1', '[::1]:80', 'LocalHost']) {
      expect((await gateway.request('/health', { headers: { host } })).status).toBe(200);
    }
    expect(await isThere('intruder')).toBe(false);
  });

  it('knows each attachment by its own token, and forgets it when it is revoked', async () => {
    const token = newToken();
    await gateway.attach('second', token);
    expect((await gateway.request('/health', { token })).json()).toMatchObject({
      attachmentId: 'second',
      attachments: 2,
    });
    const others = await gateway.request('/attachments/first', { token, method: 'DELETE' });
    expect([others.status, others.json()]).toMatchObject([404, { code: 'gateway-resource-not-found' }]);
    const own = await gateway.request('/attachments/second', { token, method: 'DELETE' });
    expect([own.status, own.json()]).toEqual([200, { attachments: 1 }]);
    expect((await gateway.request('/exec', { token, ...touch('late') })).status).toBe(401);
    expect((await gateway.request('/health')).status).toBe(200);
    expect(await isThere('late')).toBe(false);
  });

  it('forgets an attachment that is not renewed', async () => {
    const [renewed, left] = [newToken(), newToken()];
    await gateway.attach('renewed', renewed, 60_000);
    await gateway.attach('left', left, 60_000);
    const renew = async (attachmentId: string, token: string, ttlMs: number): Promise<unknown> =>
      (await gateway.request(`/attachments/${attachmentId}`, { token, method: 'PUT', json: { ttlMs } })).json();
    // Whose life counts from its last renewal, whatever it was given before.
    expect(await renew('left', left, 1_000)).toEqual({ attachmentId: 'left', expiresInMs: 1_000 });
    expect(await renew('renewed', renewed, 60_000)).toEqual({ attachmentId: 'renewed', expiresInMs: 60_000 });
    const statusOf = async (token: string): Promise<number> => (await gateway.request('/health', { token })).status;
    await expect.poll(() => statusOf(left), { timeout: 20_000 }).toBe(401);
    expect(await statusOf(renewed)).toBe(200);
    expect((await gateway.request('/attachments/renewed', { token: renewed, method: 'DELETE' })).status).toBe(200);
  });

  it('has sockets that only its own user can connect to', () => {
    for (const name of ['gateway.sock', 'admin.sock']) {
      expect(statSync(join(gateway.directory, name)).mode & 0o777).toBe(0o600);
    }
  });

  it('shows no token in its arguments, environment or log', () => {
    const { pid } = gateway.child;
    for (const place of ['cmdline', 'environ']) {
      expect(readFileSync(`/proc/${pid}/${place}`, 'utf8')).not.toContain(gateway.token);
    }
    expect(gateway.stderr).toContain('"attachmentId":"first"');
    expect(gateway.stderr).not.toContain(gateway.token);
  });

  it.each([
    ['rubbish', `{"token":"${'t'.repeat(43)}"`, 'the line is not JSON'],
    ['weak token', '{"attachmentId":"x","token":"short","ttlMs":1000}', 'a token has 32 to 256 letters'],
    ['life so short', `{"attachmentId":"x","token":"${'t'.repeat(43)}","ttlMs":1}`, 'ttlMs'],
    ['line so long', 't'.repeat(20_000), 'the line is too long'],
  ])('tells the helper why it takes no %s', async (_what, line, reason) => {
    const socket = connect(gateway.adminSocket);
    socket.on('error', () => undefined);
    socket.write(`${line}\n`);
    const answer = JSON.parse(await text(socket)) as { ok: boolean; reason: string };
    expect(answer.ok).toBe(false);
    expect(answer.reason).toContain(reason);
    expect(answer.reason).not.toContain('tttttttt');
  });

  it('refuses bodies past their limit, chunked or not, and goes on', async () => {
    const limit = 64 * 1024 * 1024;
    const declared = await gateway.request('/files/stat', { body: Buffer.alloc(limit + 1, ' '), isAlone: true });
    expect([declared.status, declared.json()]).toMatchObject([413, { code: 'limit-exceeded', details: { limit } }]);
    async function* chunks(): AsyncGenerator<Buffer> {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      for (let sent = 0; sent <= limit; sent += chunk.length) yield chunk;
    }
    const chunked = await gateway.request('/files/stat', {
      body: Readable.from(chunks()),
      isAlone: true,
    });
    expect([chunked.status, chunked.json()]).toMatchObject([413, { code: 'limit-exceeded', details: { limit } }]);
    expect((await gateway.request('/health')).status).toBe(200);
  });

  it('answers every error with a problem', async () => {
    await writeFile(join(gateway.workdir, 'there'), '');
    const problems: readonly [string, RequestOptions, number, string][] = [
      ['/nowhere', {}, 404, 'gateway-resource-not-found'],
      ['/exec', {}, 405, 'gateway-request-invalid'],
      ['/health', { method: 'DELETE' }, 405, 'gateway-request-invalid'],
      ['/files/stat', { body: '{' }, 400, 'gateway-request-invalid'],
      ['/files/stat', { json: { path: 1 } }, 400, 'gateway-request-invalid'],
      ['/files/read', { json: { path: 'missing' } }, 404, 'file-not-found'],
      ['/files/list', { json: { path: 'there' } }, 422, 'not-a-directory'],
      ['/processes/none', { method: 'DELETE' }, 200, ''],
      ['/processes/none/output?stream=stdout', {}, 404, 'gateway-resource-not-found'],
      ['/mcps/none', {}, 404, 'mcp-not-found'],
      ['/exec', { body: '{"argv":["true"],"bytes":9}\n' }, 400, 'gateway-request-invalid'],
      [
        '/exec',
        { body: encodeFrame({ argv: ['no-such-command'], hasStdin: false, streams: true, end: true }) },
        422,
        'exec-failed',
      ],
    ];
    for (const [path, options, status, code] of problems) {
      const answer = await gateway.request(path, options);
      expect([path, answer.status]).toEqual([path, status]);
      if (code === '') continue;
      expect(answer.headers['content-type']).toBe('application/problem+json');
      const { detail, ...problem } = answer.json() as Record<string, unknown>;
      expect(problem).toMatchObject({ status, code, type: `urn:agent-workspace:error:${code}`, isRetryable: false });
      expect(detail).not.toBe('');
    }
    const { headers } = await gateway.request('/exec');
    expect(headers['allow']).toBe('POST');
  });

  it('refuses what is no HTTP, and goes on', async () => {
    const socket = connect(join(gateway.directory, 'gateway.sock'));
    socket.end('GARBAGE\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await gateway.request('/health')).status).toBe(200);
  });
});

it('listens on a port of loopback alone, and takes the names that it is told to', async () => {
  await using gateway = await GatewayProcess.start({
    listen: ['--port', '0'],
    args: ['--allow-host', '8080-sandbox.example.com'],
  });
  expect((await gateway.request('/health')).status).toBe(200);
  for (const [host, status] of [
    ['8080-sandbox.example.com', 200],
    ['sandbox.example.com', 401],
  ] as const) {
    expect((await gateway.request('/health', { headers: { host } })).status).toBe(status);
  }
  const addresses = readFileSync(`/proc/${gateway.child.pid}/net/tcp`, 'utf8');
  const port = (gateway.port ?? 0).toString(16).toUpperCase().padStart(4, '0');
  expect(addresses).toContain(`0100007F:${port} 00000000:0000 0A`);
  expect(addresses).not.toContain(`00000000:${port} 00000000:0000 0A`);
});
