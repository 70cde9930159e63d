import { createConnection, type Socket } from 'node:net';
import { once } from 'node:events';
import { type Duplex, PassThrough } from 'node:stream';
import type { WorkspaceError } from '@agent-workspace/core';
import { CONTENT_TYPES, encodeFrame } from '@agent-workspace/gateway-protocol';
import { describe, expect, it } from 'vitest';
import { GatewayBackend, GatewayClient, GatewayEvents, GatewayMCPClient } from '../src/index.ts';
import { answers, begins, breaksOff, chunk, HostilePeer, type Misdeed, neverEnds } from './hostile-peer.ts';

const { frames, ndjson, bytes } = CONTENT_TYPES;
const MIB = 1024 * 1024;

const backendOf = (client: GatewayClient): GatewayBackend =>
  new GatewayBackend({ client, kind: 'test', workdir: '/workspace' });

/** How a call failed, and after how long. */
async function failureOf(call: Promise<unknown>): Promise<{ code: string; reason: unknown; tookMs: number }> {
  const startedAt = performance.now();
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown as WorkspaceError,
  );
  const tookMs = performance.now() - startedAt;
  return { code: error?.code ?? 'no error', reason: error?.details['reason'], tookMs };
}

const stat = { kind: 'file', sizeBytes: 1, modifiedMs: 1, mode: 0o644, version: '1' };
const captured = { headBytes: 0, tailBytes: 0, droppedBytes: 0, totalBytes: 0 };
const result = {
  type: 'result',
  end: { kind: 'exited', exitCode: 0 },
  durationMs: 1,
  stdout: captured,
  stderr: captured,
};

describe('a peer that is no gateway', () => {
  it.each<[string, Misdeed, string]>([
    ['speaks another protocol', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), 'gateway-answer-invalid'],
    ['sends noise', (socket) => socket.write(Buffer.alloc(4_096, 0xa5)), 'gateway-answer-invalid'],
    ['says nothing', () => undefined, 'gateway-timeout'],
    ['hangs up', (socket) => socket.destroy(), 'gateway-connection-lost'],
    ['stops in the middle of the headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-'), 'gateway-timeout'],
    [
      'has headers without an end',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(100_000)}`),
      'gateway-answer-invalid',
    ],
    ['stops in the middle of the body', begins('{"stat":'), 'gateway-timeout'],
    ['hangs up in the middle of the body', breaksOff('{"stat":'), 'gateway-connection-lost'],
    [
      'sends a byte now and then',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
        const timer = setInterval(() => socket.write(' '), 20);
        socket.on('close', () => clearInterval(timer));
      },
      'gateway-timeout',
    ],
    ['sends 10 GB', neverEnds(Buffer.alloc(MIB, 0x20)), 'gateway-answer-invalid'],
    [
      'announces 10 GB',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n${'x'.repeat(1_000)}`),
      'gateway-timeout',
    ],
    ['answers with a page', answers('<html>', 'text/html'), 'gateway-answer-invalid'],
    ['answers with half of its JSON', answers('{"stat":'), 'gateway-answer-invalid'],
    ['answers with what is no stat', answers('{"stat":{"kind":"moon"}}'), 'gateway-answer-invalid'],
    ['answers with what is no text', answers(Buffer.from([0x22, 0xff, 0x22])), 'gateway-answer-invalid'],
    [
      'leads elsewhere',
      (socket) => socket.write('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'),
      'gateway-answer-invalid',
    ],
    ['fails with a page', answers('<html>', 'text/html', '502 Bad Gateway'), 'gateway-answer-invalid'],
    ['fails without a word', answers('{}', 'application/problem+json', '500 Oops'), 'gateway-answer-invalid'],
    [
      'fails with an error that lacks its details',
      answers('{"status":403,"code":"path-outside-root"}', 'application/problem+json', '403 No'),
      'gateway-answer-invalid',
    ],
    [
      'fails with an error of the host',
      answers('{"status":409,"code":"workspace-closed"}', 'application/problem+json', '409 No'),
      'gateway-protocol-error',
    ],
    [
      'does not know the token',
      answers(
        '{"status":401,"code":"gateway-unauthorized","details":{"reason":"no"}}',
        'application/problem+json',
        '401 No',
      ),
      'gateway-unauthorized',
    ],
  ])('%s', async (_what, misdeed, code) => {
    await using peer = await HostilePeer.start(misdeed);
    // Only what is to run out of time has little of it.
    const client = peer.client(code === 'gateway-timeout' ? {} : { deadlines: {} });
    const failure = await failureOf(backendOf(client).stat('/a'));
    expect(failure).toMatchObject({ code });
    expect(failure.tookMs).toBeLessThan(15_000);
    expect(peer.requests).toHaveLength(1);
  });

  it('is not there', async () => {
    const client = new GatewayClient({
      connect: async () => {
        const socket = createConnection('/nowhere/at/all');
        await once(socket, 'connect');
        return socket;
      },
      token: () => 'token',
    });
    expect(await failureOf(client.health())).toMatchObject({ code: 'gateway-unreachable' });
    await client.close();
  });

  it('cannot be connected to in time, and the connection that comes too late is let go of', async () => {
    await using peer = await HostilePeer.start(() => undefined);
    const { promise, resolve } = Promise.withResolvers<AbortSignal>();
    const late = Promise.withResolvers<Duplex>();
    const client = peer.client({
      deadlines: { connectMs: 200 },
      connect: ({ signal }) => {
        resolve(signal);
        return late.promise;
      },
    });
    const failure = await failureOf(client.health());
    expect(failure).toMatchObject({ code: 'gateway-unreachable', reason: 'no connection within 200 ms' });
    expect((await promise).aborted).toBe(true);
    const socket = new PassThrough();
    late.resolve(socket);
    await expect.poll(() => socket.destroyed).toBe(true);
  });

  it('keeps memory flat while it sends more than it may', async () => {
    await using peer = await HostilePeer.start(
      neverEnds(Buffer.alloc(MIB, 0x20), frames, `{"stat":1,"bytes":${10_000 * MIB}}\n`),
    );
    const before = process.memoryUsage().rss;
    const failure = await failureOf(backendOf(peer.client()).readFile('/a', { maxBytes: MIB }));
    expect(failure).toMatchObject({ code: 'gateway-answer-invalid' });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
    await expect.poll(() => peer.dropped).toBe(1);
  });

  it('drops the connection of a call that its caller aborts', async () => {
    await using peer = await HostilePeer.start(() => undefined);
    const controller = new AbortController();
    const call = failureOf(backendOf(peer.client()).stat('/a', { signal: controller.signal }));
    await expect.poll(() => peer.requests.length).toBe(1);
    controller.abort();
    expect(await call).toMatchObject({ code: 'operation-aborted' });
    await expect.poll(() => peer.dropped).toBe(1);
  });
});

describe('a peer that runs a command wrongly', () => {
  const frame = (header: Record<string, unknown>, content = ''): Uint8Array =>
    encodeFrame(header, Buffer.from(content));

  it.each<[string, Misdeed, string]>([
    ['is silent from the start', () => undefined, 'gateway-timeout'],
    ['falls silent', begins(frame({ type: 'alive' }), frames), 'gateway-timeout'],
    ['hangs up', breaksOff(frame({ type: 'alive' }), frames), 'gateway-connection-lost'],
    ['ends without a result', answers(frame({ type: 'alive' }), frames), 'gateway-connection-lost'],
    ['ends in the middle of a frame', answers(frame(result).subarray(0, 20), frames), 'gateway-answer-invalid'],
    ['sends no frames', answers('hello\nworld\n', frames), 'gateway-answer-invalid'],
    ['sends JSON', answers('{}'), 'gateway-answer-invalid'],
    ['sends a frame of an unknown kind', answers(frame({ type: 'moon' }), frames), 'gateway-answer-invalid'],
    [
      'sends a result without its output',
      answers(frame({ ...result, stdout: { ...captured, headBytes: 5 } }), frames),
      'gateway-answer-invalid',
    ],
    [
      'sends a result with more output than it says',
      answers(frame(result, 'surplus'), frames),
      'gateway-answer-invalid',
    ],
    ['announces a frame of 10 GB', begins('{"type":"result","bytes":10000000000}\n', frames), 'gateway-answer-invalid'],
    ['sends a header without an end', neverEnds('x'.repeat(1_000), frames, '{"type":"'), 'gateway-answer-invalid'],
    [
      'is alive without an end, and fast',
      neverEnds(Buffer.concat(Array<Uint8Array>(1_000).fill(frame({ type: 'alive' }))), frames),
      'gateway-answer-invalid',
    ],
    [
      'reports a problem',
      answers(
        frame({
          type: 'problem',
          problem: { status: 422, code: 'exec-failed', details: { command: 'x', reason: 'failed', cwd: '/' } },
        }),
        frames,
      ),
      'exec-failed',
    ],
  ])('%s', async (_what, misdeed, code) => {
    await using peer = await HostilePeer.start(misdeed);
    const failure = await failureOf(backendOf(peer.client()).exec(['true']));
    expect(failure).toMatchObject({ code });
    expect(failure.tookMs).toBeLessThan(15_000);
  });

  it('is heard again once it is asked whether it is there: the network had lost the way back', async () => {
    const held: Socket[] = [];
    await using peer = await HostilePeer.start((socket, head) => {
      if (head.includes(' /exec ')) {
        begins(frame({ type: 'alive' }), frames)(socket, head);
        held.push(socket);
      } else {
        answers('{}')(socket, head);
        for (const waiting of held) waiting.write(chunk(frame(result)));
      }
    });
    const client = peer.client({ deadlines: { patienceMs: 50, silenceMs: 15_000 } });
    expect(await backendOf(client).exec(['true'])).toMatchObject({ end: { kind: 'exited', exitCode: 0 } });
    expect(peer.requests).toContain('GET /health HTTP/1.1');
  });

  it('does not answer to an abort: the command counts as aborted, in time', async () => {
    await using peer = await HostilePeer.start(() => undefined);
    const controller = new AbortController();
    const running = backendOf(peer.client({ deadlines: { abortMs: 200 } })).exec(['sleep'], {
      signal: controller.signal,
    });
    await expect.poll(() => peer.requests.length).toBe(1);
    controller.abort();
    expect(await running).toMatchObject({ end: { kind: 'aborted' }, stdout: { totalBytes: 0 } });
    await expect.poll(() => peer.requests.map((line) => line.split('/')[1])).toEqual(['exec HTTP', 'calls']);
  });
});

describe('a peer that sends content wrongly', () => {
  const read = async (peer: HostilePeer, length?: number): Promise<unknown> => {
    const stream = await backendOf(peer.client()).openRead('/a', { length });
    return Array.fromAsync(stream);
  };

  it.each<[string, Misdeed, string]>([
    ['is silent', begins('abc', bytes), 'gateway-timeout'],
    ['hangs up', breaksOff('abc', bytes), 'gateway-connection-lost'],
    ['sends more than was asked for', neverEnds('x'.repeat(1_000), bytes), 'gateway-answer-invalid'],
    ['sends something else', answers('{}'), 'gateway-answer-invalid'],
  ])('as a stream, and %s', async (_what, misdeed, code) => {
    await using peer = await HostilePeer.start(misdeed);
    expect(await failureOf(read(peer, 10_000))).toMatchObject({ code });
    await expect.poll(() => peer.dropped).toBe(1);
  });

  it.each<[string, Misdeed, string]>([
    ['without an end', neverEnds(encodeFrame({ kind: 'directory', path: 'a' }), frames), 'gateway-answer-invalid'],
    [
      'that stops before its end',
      answers(encodeFrame({ kind: 'directory', path: 'a' }), frames),
      'gateway-answer-invalid',
    ],
    [
      'with a file that is too large',
      answers('{"kind":"file","path":"a","bytes":100000000}\n', frames),
      'gateway-answer-invalid',
    ],
    ['of things that are none', answers(encodeFrame({ kind: 'moon', path: 'a' }), frames), 'gateway-answer-invalid'],
  ])('as a tree %s', async (_what, misdeed, code) => {
    await using peer = await HostilePeer.start(misdeed);
    expect(await failureOf(backendOf(peer.client()).readTree('/a'))).toMatchObject({ code });
  });

  it.each<[string, Misdeed, string]>([
    [
      'as two frames',
      answers(Buffer.concat([encodeFrame({ stat }), encodeFrame({ stat })]), frames),
      'gateway-answer-invalid',
    ],
    ['as none', answers('', frames), 'gateway-answer-invalid'],
    ['without its stat', answers(encodeFrame({}), frames), 'gateway-answer-invalid'],
  ])('as a file %s', async (_what, misdeed, code) => {
    await using peer = await HostilePeer.start(misdeed);
    expect(await failureOf(backendOf(peer.client()).readFile('/a'))).toMatchObject({ code });
  });

  it('takes a body and never answers', async () => {
    await using peer = await HostilePeer.start((socket) => socket.resume());
    const content = new Uint8Array(2 * MIB);
    expect(await failureOf(backendOf(peer.client()).writeFile('/a', content))).toMatchObject({
      code: 'gateway-timeout',
    });
  });

  it('takes no body, and never answers', async () => {
    await using peer = await HostilePeer.start((socket) => socket.pause());
    const content = new Uint8Array(64 * MIB);
    const failure = await failureOf(backendOf(peer.client()).writeFile('/a', content));
    expect(failure).toMatchObject({ code: 'gateway-timeout' });
    expect(failure.tookMs).toBeLessThan(15_000);
  });
});

describe('a peer that gives a process wrongly', () => {
  it('and its output from another place', async () => {
    await using peer = await HostilePeer.start((socket, head) => {
      if (head.startsWith('POST /processes ')) answers('{"id":"1","pid":1,"processGroup":1}')(socket, head);
      if (head.includes('/output'))
        answers(encodeFrame({ offset: 7, isEnd: false }, Buffer.from('x')), frames)(socket, head);
      if (head.startsWith('DELETE ')) answers('{}')(socket, head);
    });
    await using process = await backendOf(peer.client()).spawn(['cat']);
    expect(await failureOf(process.stdout.getReader().read())).toMatchObject({ code: 'gateway-answer-invalid' });
    expect(await failureOf(process.end)).toMatchObject({ code: 'gateway-timeout' });
    expect((await process.stderr.getReader().read().catch(String)) as string).toContain('cannot be used');
  });
});

describe('a peer that has an MCP server wrongly', () => {
  const status = {
    name: 'm',
    state: { kind: 'connected', pid: 1 },
    registrationId: '1',
    revision: 1,
    restarts: 0,
    stderrTail: '',
  };
  const withTool =
    (misdeed: Misdeed): Misdeed =>
    (socket, head) => {
      if (head.includes('/tools/')) misdeed(socket, head);
      else answers(JSON.stringify(status))(socket, head);
    };
  const clientOf = (peer: HostilePeer): GatewayMCPClient => {
    const client = peer.client();
    const events = new GatewayEvents({ client });
    const declaration = { name: 'm', transport: 'http', url: 'http://x/', headers: {}, isStateful: false } as const;
    return new GatewayMCPClient({ client, events, declaration });
  };

  it.each<[string, Misdeed, string]>([
    ['rubbish', answers('hello\n', ndjson), 'gateway-answer-invalid'],
    ['a line without an end', neverEnds('x'.repeat(MIB), ndjson), 'gateway-answer-invalid'],
    ['no result', answers('{"type":"alive"}\n', ndjson), 'gateway-connection-lost'],
    ['half a line', answers('{"type":"alive"', ndjson), 'gateway-answer-invalid'],
    ['nothing', begins('{"type":"alive"}\n', ndjson), 'gateway-timeout'],
    [
      'a result that is none',
      answers('{"type":"result","result":{"content":"x"}}\n', ndjson),
      'gateway-answer-invalid',
    ],
  ])('and answers a call with %s', async (_what, misdeed, code) => {
    await using peer = await HostilePeer.start(withTool(misdeed));
    await using client = clientOf(peer);
    expect(await failureOf(client.callTool('t', {}, { onProgress: () => undefined }))).toMatchObject({ code });
  });

  it.each<[string, Misdeed, string]>([
    ['rubbish', answers('hello\n', ndjson), 'gateway-answer-invalid'],
    ['a line without an end', neverEnds('x'.repeat(MIB), ndjson), 'gateway-answer-invalid'],
    ['no results', answers('{"type":"alive"}\n', ndjson), 'gateway-connection-lost'],
    [
      'results of calls that nobody made',
      answers('{"type":"result","id":"x","result":{"content":[]}}\n', ndjson),
      'gateway-connection-lost',
    ],
    ['nothing', begins('{"type":"alive"}\n', ndjson), 'gateway-timeout'],
    ['a page', answers('<html>', 'text/html'), 'gateway-answer-invalid'],
  ])('and answers calls of one moment with %s', async (_what, misdeed, code) => {
    await using peer = await HostilePeer.start((socket, head) => {
      (head.includes(' /calls ') ? misdeed : answers(JSON.stringify(status)))(socket, head);
    });
    await using client = clientOf(peer);
    const failures = await Promise.all([1, 2].map((n) => failureOf(client.callTool('t', { n }))));
    expect(failures).toMatchObject([{ code }, { code }]);
  });

  it('and floods the events, which are opened again after a pause', async () => {
    await using peer = await HostilePeer.start(answers('{"type":"moon"}\n', ndjson));
    const client = peer.client();
    const events = new GatewayEvents({ client });
    events.start();
    await expect.poll(() => peer.requests.length).toBeGreaterThan(2);
    expect(peer.requests.length).toBeLessThan(8);
    await events.close();
  });
});
