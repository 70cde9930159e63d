import { MAX_CALLS_PER_SERVER, CONTENT_TYPES, encodeFrame } from '@agent-workspace/gateway-protocol';
import { describe, expect, it } from 'vitest';
import { GatewayBackend, GatewayEvents, GatewayMCPClient } from '../src/index.ts';
import { callTool } from '../src/mcp/call-tool.ts';
import { answers, begins, HostilePeer, trickles } from './hostile-peer.ts';

const { frames, ndjson } = CONTENT_TYPES;
const ALIVE = '{"type":"alive"}\n';
/** Long enough that no silence ends what a test is about. */
const PATIENT = { connectMs: 60_000, answerMs: 60_000, longAnswerMs: 60_000, silenceMs: 60_000 };
/** What may be waited for. */
const timeoutMs = 300;

const unending = new AbortController().signal;

function backendOf(peer: HostilePeer): GatewayBackend {
  const client = peer.client({ deadlines: { ...PATIENT, longAnswerMs: timeoutMs } });
  return new GatewayBackend({ client, kind: 'test', workdir: '/workspace' });
}

describe('a peer that goes on without an end', () => {
  it('with a call of a tool whose progress is asked for', async () => {
    await using peer = await HostilePeer.start(trickles(ALIVE, ndjson));
    const call = callTool({
      client: peer.client({ deadlines: PATIENT }),
      path: '/mcps/m/tools/t',
      request: { arguments: {} },
      signal: unending,
      timeoutMs,
      onProgress: () => undefined,
      isRepeatable: false,
    });
    await expect(call).rejects.toMatchObject({ code: 'gateway-timeout', details: { timeoutMs } });
    await expect.poll(() => peer.dropped).toBe(1);
  });

  it('with a tree', async () => {
    await using peer = await HostilePeer.start(trickles(encodeFrame({ kind: 'directory', path: 'a' }), frames));
    await expect(backendOf(peer).readTree('/a')).rejects.toMatchObject({
      code: 'gateway-timeout',
      details: { operation: 'readTree', timeoutMs },
    });
    await expect.poll(() => peer.dropped).toBe(1);
  });

  it('with the answer to a body', async () => {
    await using peer = await HostilePeer.start(trickles(' '));
    const entries = [{ kind: 'directory', path: 'a', mode: 0o755 }] as const;
    await expect(backendOf(peer).writeTree('/a', entries)).rejects.toMatchObject({
      code: 'gateway-timeout',
      details: { operation: 'writeTree', timeoutMs },
    });
    await expect.poll(() => peer.dropped).toBe(1);
  });
});

describe('calls of tools to a peer that does not end them', () => {
  const status = {
    name: 'm',
    state: { kind: 'connected', pid: 1 },
    registrationId: '1',
    revision: 1,
    restarts: 0,
    stderrTail: '',
  };

  it('leave the queue for one of them when they are aborted, out of time, or when the client is closed', async () => {
    await using peer = await HostilePeer.start((socket, head) => {
      const isCall = head.includes(' /calls ');
      (isCall ? begins(ALIVE, ndjson) : answers(JSON.stringify(status)))(socket, head);
    });
    const client = peer.client({ deadlines: PATIENT });
    const events = new GatewayEvents({ client });
    const declaration = { name: 'm', transport: 'http', url: 'http://x/', headers: {}, isStateful: false } as const;
    const mcp = new GatewayMCPClient({ client, events, declaration });
    const codeOf = (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => 'no error',
        (error: { readonly code: unknown }) => error.code,
      );

    const running = Array.from({ length: MAX_CALLS_PER_SERVER }, (_, n) => codeOf(mcp.callTool('t', { n })));
    await expect.poll(() => peer.requests.some((line) => line.includes('/calls'))).toBe(true);
    const controller = new AbortController();
    const aborted = codeOf(mcp.callTool('t', {}, { signal: controller.signal }));
    const closed = codeOf(mcp.callTool('t', {}));
    controller.abort();
    expect(await aborted).toBe('mcp-call-cancelled');
    await expect(mcp.callTool('t', {}, { timeoutMs })).rejects.toMatchObject({
      code: 'mcp-call-timeout',
      details: { name: 'm', method: 'tools/call', timeoutMs },
    });
    await mcp.close();
    expect(await closed).toBe('mcp-client-closed');
    expect(new Set(await Promise.all(running))).toEqual(new Set(['mcp-client-closed']));
  });

  it('are not made where they are aborted in the moment that they are asked for', async () => {
    await using peer = await HostilePeer.start(begins(ALIVE, ndjson));
    const { toolCalls } = peer.client({ deadlines: PATIENT });
    const controller = new AbortController();
    const call = (signal: AbortSignal): Promise<unknown> =>
      toolCalls.call({
        call: { name: 'm', clientId: 'c', tool: 't', arguments: {} },
        signal,
        timeoutMs,
        isRepeatable: false,
        alone: () => Promise.reject(new Error('alone')),
      });
    const [first, second, third] = [call(controller.signal), call(unending), call(unending)];
    controller.abort(new Error('enough'));
    await expect(first).rejects.toMatchObject({ code: 'operation-aborted', cause: { message: 'enough' } });
    await expect(second).rejects.toMatchObject({ code: 'gateway-timeout' });
    await expect(third).rejects.toMatchObject({ code: 'gateway-timeout' });
    expect(peer.requests.filter((line) => line.startsWith('POST '))).toHaveLength(1);
  });
});
