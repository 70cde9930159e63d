import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, PassThrough } from 'node:stream';
import type { GatewayUnreachableError } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { type Connector, toUndiciConnector, unreferenced, wasNotRead } from './connector.ts';

function connectWith(connect: Connector, timeoutMs = 100): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null, duplex: Duplex | null): void => {
      if (duplex === null) reject(error);
      else resolve(duplex);
    };
    toUndiciConnector(connect, timeoutMs)({} as never, settle);
  });
}

describe('toUndiciConnector', () => {
  it('gives any duplex what undici calls on a socket', async () => {
    const stream = new PassThrough();
    const socket = (await connectWith(async () => stream)) as unknown as Socket;
    expect(socket.ref()).toBe(stream);
    expect(socket.setKeepAlive(true)).toBe(stream);
    expect(socket.setTimeout(1)).toBe(stream);
  });

  it('makes every failure gateway-unreachable, also one that is thrown at once', async () => {
    const connect: Connector = () => {
      throw new Error('no engine');
    };
    await expect(connectWith(connect)).rejects.toMatchObject({
      code: 'gateway-unreachable',
      details: { reason: 'no engine' },
    });
  });

  it('hands over no connection that has ended already', async () => {
    const ended = new PassThrough();
    ended.on('error', () => undefined);
    ended.destroy(new Error('reset by the peer'));
    await expect(connectWith(async () => ended)).rejects.toMatchObject({
      code: 'gateway-unreachable',
      details: { reason: 'reset by the peer' },
    });
  });

  it('waits no longer than it may, tells the connector, and lets go of what comes later', async () => {
    const late = Promise.withResolvers<Duplex>();
    let signal: AbortSignal | undefined;
    const connecting = connectWith((options) => {
      ({ signal } = options);
      return late.promise;
    });
    const error: unknown = await connecting.catch((failure: unknown) => failure);
    expect((error as GatewayUnreachableError).details.reason).toBe('no connection within 100 ms');
    expect(signal?.aborted).toBe(true);
    const stream = new PassThrough();
    late.resolve(stream);
    await expect.poll(() => stream.destroyed).toBe(true);
  });
});

describe('unreferenced', () => {
  it('keeps a connection from holding a process', async () => {
    const calls: string[] = [];
    const socket = Object.assign(new PassThrough(), {
      ref: () => calls.push('ref'),
      unref: () => calls.push('unref'),
    });
    const duplex = (await unreferenced(async () => socket)({ signal: new AbortController().signal })) as Socket;
    expect(duplex.ref()).toBe(socket);
    expect(calls).toEqual(['unref']);
  });
});

describe('wasNotRead', () => {
  it.runIf(process.platform === 'linux')('knows a request that its peer never read from one that it did', async () => {
    const path = join(tmpdir(), `aw-connector-${process.pid}.sock`);
    const accepted: Socket[] = [];
    const server = createServer({ pauseOnConnect: true }, (socket) => accepted.push(socket)).listen(path);
    await once(server, 'listening');
    const socket = await connectWith(async () => {
      const connection = createConnection(path);
      await once(connection, 'connect');
      return connection;
    });
    const failed = once(socket, 'error') as Promise<[Error]>;
    socket.resume();
    socket.write('a request');
    await expect.poll(() => accepted.length).toBe(1);
    accepted[0]?.destroy();
    const [error] = await failed;
    expect(wasNotRead(error)).toBe(true);
    expect(wasNotRead(new Error('another'))).toBe(false);
    server.close();
  });
});
