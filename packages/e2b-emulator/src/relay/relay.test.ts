import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialRelay } from '../roots/dial-relay.ts';
import { PortClosedError } from '../roots/port-closed-error.ts';
import { RELAY_CONNECTED, startRelay } from './relay.ts';

describe('the relay', () => {
  let directory: string;
  let path: string;
  let relay: Server;
  let echo: Server;
  let port: number;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'relay-'));
    path = join(directory, 'relay.sock');
    relay = startRelay(path);
    echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    echo.listen(0, '127.0.0.1');
    await Promise.all([once(relay, 'listening'), once(echo, 'listening')]);
    port = (echo.address() as { readonly port: number }).port;
  });
  afterEach(async () => {
    for (const server of [relay, echo]) server.close();
    await rm(directory, { recursive: true });
  });

  it('passes bytes both ways, and the end of either', async () => {
    const socket = await dialRelay(path, port);
    socket.end('a'.repeat(200_000));
    let received = 0;
    for await (const chunk of socket) received += (chunk as Buffer).length;
    expect(received).toBe(200_000);
  });

  it('keeps what comes right behind its answer', async () => {
    const hasty = createServer((caller) => caller.once('data', () => caller.end(`${RELAY_CONNECTED}hello`)));
    hasty.listen(join(directory, 'hasty.sock'));
    await once(hasty, 'listening');
    const socket = await dialRelay(join(directory, 'hasty.sock'), 80);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(String(Buffer.concat(chunks))).toBe('hello');
    hasty.close();
  });

  it('says which port is closed', async () => {
    echo.close();
    await once(echo, 'close');
    await expect(dialRelay(path, port)).rejects.toThrow(new PortClosedError(port));
  });

  it('takes what is no relay for a closed port', async () => {
    await expect(dialRelay(join(directory, 'none.sock'), 80)).rejects.toBeInstanceOf(PortClosedError);
  });
});
