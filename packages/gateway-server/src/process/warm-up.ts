import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { silentLogger } from '@agent-workspace/core';
import { backendOperations, CONTENT_TYPES, encodeFrame, ROUTES } from '@agent-workspace/gateway-protocol';
import { LocalBackend } from '@agent-workspace/local';
import { AttachedHosts } from '../attached/attached-hosts.ts';
import { gatewayListener } from './gateway-listener.ts';
import { HttpServer } from './http-server.ts';

interface Step {
  readonly method?: 'GET' | undefined;
  readonly path: string;
  readonly body?: Uint8Array | undefined;
}

/** What a host asks for when it opens a workspace. */
function firstRequests(): readonly Step[] {
  const { stat, readDirectory, listBackground, remove } = backendOperations();
  const json = (path: string, body: unknown): Step => ({ path, body: Buffer.from(JSON.stringify(body)) });
  return [
    { method: 'GET', path: ROUTES.health },
    json(ROUTES.readFile, { path: 'missing' }),
    json(stat.route, { path: 'missing' }),
    { path: ROUTES.write, body: encodeFrame({ path: 'file', makeParents: true, end: true }, Buffer.from('content')) },
    json(ROUTES.readFile, { path: 'file' }),
    json(readDirectory.route, { path: '.' }),
    json(listBackground.route, {}),
    { path: ROUTES.exec, body: encodeFrame({ argv: ['true'], hasStdin: false, streams: false, end: true }) },
    json(remove.route, { path: 'file' }),
  ];
}

/** Serves a directory of its own for as long as it takes to ask for what every host asks for at first. */
export async function warmUp({ bundlePath }: { readonly bundlePath: string }): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-'));
  const backend = new LocalBackend({ workdir: directory, roots: null });
  const hosts = new AttachedHosts({ backend, logger: silentLogger });
  const token = randomBytes(32).toString('base64url');
  hosts.attachments.add({ attachmentId: 'warm-up', token, ttlMs: 60_000 });
  const { listener } = gatewayListener({ hosts, bundlePath, logger: silentLogger });
  const server = new HttpServer({ listener, logger: silentLogger });
  const socketPath = join(directory, 'gateway.sock');
  try {
    await server.listen({ kind: 'socket', path: socketPath });
    const headers = { host: 'localhost', authorization: `Bearer ${token}`, 'content-type': CONTENT_TYPES.json };
    for (const { method = 'POST', path, body } of firstRequests()) {
      await new Promise<void>((resolve, reject) => {
        const sent = request({
          socketPath,
          method,
          path,
          headers: { ...headers, 'content-length': body?.length ?? 0 },
        });
        sent.once('error', reject);
        sent.once('response', (response) => void buffer(response).then(() => resolve(), reject));
        sent.end(body);
      });
    }
  } finally {
    server.stopListening();
    await Promise.all([hosts.close(), backend.close()]);
    await rm(directory, { recursive: true, force: true });
  }
}
