import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import type { Sandbox } from 'e2b';
import * as e2b from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'undici';
import { E2BEmulator } from '../src/index.ts';

/** Echoes what it is asked, streams, and speaks another protocol. Prints its port. */
const SERVER = `
const http = require('node:http');
const { createHash } = require('node:crypto');
const server = http.createServer((request, response) => {
  if (request.url === '/stream') {
    response.write('first');
    request.once('data', (chunk) => response.end('then ' + chunk));
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ host: request.headers.host, url: request.url, method: request.method }));
});
server.on('upgrade', (request, socket) => {
  const key = request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n');
  socket.write('Sec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  socket.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

describe('the proxy', () => {
  let emulator: E2BEmulator;
  beforeAll(async () => {
    emulator = await E2BEmulator.start({ isolation: 'process' });
    Object.assign(process.env, emulator.env);
  });
  afterAll(() => emulator.close());

  /** Starts the server above in a sandbox. */
  async function serve(sandbox: Sandbox): Promise<number> {
    await sandbox.files.write('server.cjs', SERVER);
    let port = 0;
    await sandbox.commands.run('node server.cjs', {
      background: true,
      onStdout: (text) => {
        port = Number(text);
      },
    });
    await expect.poll(() => port).toBeGreaterThan(0);
    return port;
  }

  async function headersTo(sandbox: Sandbox, port: number): Promise<Record<string, string>> {
    return { 'e2b-sandbox-id': sandbox.sandboxId, 'e2b-sandbox-port': String(port) };
  }

  it('finds a port by its host, by http and https on one port, and by headers', async () => {
    const sandbox = await e2b.Sandbox.create();
    const port = await serve(sandbox);
    const host = sandbox.getHost(port);
    expect(host).toBe(`${port}-${sandbox.sandboxId}.${emulator.domain}`);
    for (const scheme of ['http', 'https']) {
      const response = await emulator.fetch(`${scheme}://${host}/a?b=c`, { method: 'PUT', body: 'x' });
      expect(await response.json()).toEqual({ host, url: '/a?b=c', method: 'PUT' });
    }
    const response = await fetch(`${emulator.url}/d`, { headers: await headersTo(sandbox, port) });
    expect(await response.json()).toMatchObject({ url: '/d' });
  });

  it('says which port is closed', async () => {
    const { sandboxId } = await e2b.Sandbox.create();
    const response = await emulator.fetch(`http://1-${sandboxId}.${emulator.domain}`);
    expect([response.status, await response.json()]).toEqual([
      502,
      { sandboxId, message: 'The sandbox is running but port is not open', port: 1, code: 502 },
    ]);
  });

  it('says that a sandbox is not there: unknown, killed or paused', async () => {
    const sandbox = await e2b.Sandbox.create();
    await sandbox.pause();
    const killed = await e2b.Sandbox.create();
    await killed.kill();
    for (const sandboxId of ['i0', killed.sandboxId, sandbox.sandboxId]) {
      const response = await emulator.fetch(`https://3000-${sandboxId}.${emulator.domain}/`);
      expect([response.status, await response.json()]).toEqual([
        502,
        { sandboxId, message: 'The sandbox was not found', code: 502 },
      ]);
    }
  });

  it.each([
    ['only one header', { 'e2b-sandbox-id': 'i0' }],
    ['a bad port', { 'e2b-sandbox-id': 'i0', 'e2b-sandbox-port': '70000' }],
    ['a bad id', { 'e2b-sandbox-id': 'A_', 'e2b-sandbox-port': '80' }],
  ])('refuses %s in plain text', async (_what, headers) => {
    const response = await fetch(emulator.url, { headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8']);
  });

  it.each(['/init', '/freeze', '/upgrade'])('keeps %s of envd to itself', async (path) => {
    const sandbox = await e2b.Sandbox.create();
    const response = await fetch(`${emulator.url}${path}`, {
      method: 'POST',
      headers: await headersTo(sandbox, 49_983),
    });
    expect([response.status, await response.json()]).toEqual([404, { message: 'path not found', path, code: 404 }]);
  });

  it('opens private ports by their token alone', async () => {
    const sandbox = await e2b.Sandbox.create({ network: { allowPublicTraffic: false } });
    const port = await serve(sandbox);
    const visit = (headers: Record<string, string>): Promise<Response> =>
      emulator.fetch(`https://${sandbox.getHost(port)}`, { headers });
    const refused: readonly Record<string, string>[] = [{}, { 'e2b-traffic-access-token': 'wrong' }];
    for (const headers of refused) {
      const response = await visit(headers);
      expect([response.status, await response.json()]).toMatchObject([
        403,
        { sandboxId: sandbox.sandboxId, code: 403 },
      ]);
    }
    expect((await visit({ 'e2b-traffic-access-token': sandbox.trafficAccessToken ?? '' })).status).toBe(200);
    expect((await sandbox.commands.run('echo envd is open')).exitCode).toBe(0);
  });

  it('masks the host where it is told to, but not for envd', async () => {
    const sandbox = await e2b.Sandbox.create({ network: { maskRequestHost: 'localhost:${PORT}' } });
    const port = await serve(sandbox);
    const response = await emulator.fetch(`http://${sandbox.getHost(port)}`);
    expect(await response.json()).toMatchObject({ host: `localhost:${port}` });
  });

  it('passes both ways at once, without waiting for the end of either', async () => {
    const sandbox = await e2b.Sandbox.create();
    const port = await serve(sandbox);
    const { hostname, port: emulatorPort } = new URL(emulator.url);
    const call = request({
      host: hostname,
      port: emulatorPort,
      path: '/stream',
      method: 'POST',
      headers: { host: sandbox.getHost(port) },
    });
    call.flushHeaders();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.setEncoding('utf8');
    const [first] = (await once(response, 'data')) as [string];
    call.write('more');
    const [second] = (await once(response, 'data')) as [string];
    call.end();
    expect([first, second]).toEqual(['first', 'then more']);
  });

  it('passes WebSockets on', async () => {
    const sandbox = await e2b.Sandbox.create();
    const port = await serve(sandbox);
    const { hostname, port: emulatorPort } = new URL(emulator.url);
    const socket = new WebSocket(`ws://${hostname}:${emulatorPort}/`, {
      headers: await headersTo(sandbox, port),
    });
    const message = await new Promise((resolve, reject) => {
      socket.addEventListener('message', (event) => resolve(event.data));
      socket.addEventListener('error', reject);
    });
    expect(message).toBe('hello');
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
    await sandbox.kill();
    await closed;
  });

  it('answers an upgrade for a sandbox that is not there', async () => {
    const { hostname, port } = new URL(emulator.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET / HTTP/1.1\r\nHost: 80-i0.${emulator.domain}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
    );
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 502 [^]*The sandbox was not found/);
  });

  it('finds the sandbox of a signed URL by its signature', async () => {
    const [one, other] = [await e2b.Sandbox.create(), await e2b.Sandbox.create()];
    await Promise.all([one.files.write('own.txt', 'one'), other.files.write('own.txt', 'other')]);
    const options = { useSignatureExpiration: 60, user: 'user' as const };
    expect(await (await fetch(await one.downloadUrl('own.txt', options))).text()).toBe('one');
    expect(await (await fetch(await other.downloadUrl('own.txt'))).text()).toBe('other');
    const upload = new FormData();
    upload.append('file', new Blob(['new']), 'own.txt');
    expect((await fetch(await other.uploadUrl('own.txt'), { method: 'POST', body: upload })).status).toBe(200);
    expect(await other.files.read('own.txt')).toBe('new');
    const forged = new URL(await one.downloadUrl('own.txt'));
    forged.searchParams.set('path', '/etc/passwd');
    expect((await fetch(forged)).status).toBe(401);
  });

  it('serves envd at its host, too, for who sets the domain alone', async () => {
    const sandbox = await e2b.Sandbox.create();
    const response = await emulator.fetch(`https://${sandbox.getHost(49_983)}/health`);
    expect(response.status).toBe(204);
  });

  it('serves the control plane at its host by https', async () => {
    const call = secureRequest({
      host: '127.0.0.1',
      port: new URL(emulator.url).port,
      path: '/v2/sandboxes',
      servername: 'api.e2b.localhost',
      ca: emulator.certificate,
      headers: { host: `api.${emulator.domain}`, 'x-api-key': 'any' },
    });
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
  });
});
