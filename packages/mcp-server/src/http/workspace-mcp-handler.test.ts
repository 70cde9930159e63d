import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WorkspaceMcpHandler } from './workspace-mcp-handler.ts';

const IDLE_TIMEOUT_MS = 60_000;

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

function send(handler: WorkspaceMcpHandler, method: string, sessionId?: string, body?: object): Promise<Response> {
  const headers = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
  };
  const json = body === undefined ? null : JSON.stringify(body);
  return handler.fetch(new Request('http://localhost/mcp', { method, headers, body: json }));
}

/** @returns the id of a new session, whose first answer has been read */
async function begin(handler: WorkspaceMcpHandler): Promise<string> {
  const response = await send(handler, 'POST', undefined, initialize);
  expect(await response.text()).toContain('"protocolVersion"');
  return response.headers.get('mcp-session-id') ?? '';
}

describe('WorkspaceMcpHandler', () => {
  let handler: WorkspaceMcpHandler;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const open = (): Promise<never> => Promise.reject(new Error('nothing is called'));
    handler = new WorkspaceMcpHandler({ open, idleTimeoutMs: IDLE_TIMEOUT_MS });
  });

  afterEach(async () => {
    vi.useRealTimers();
    await handler.close();
  });

  it('ends a client that never says goodbye once it is idle', async () => {
    const sessionId = await begin(handler);
    await vi.advanceTimersByTimeAsync(IDLE_TIMEOUT_MS - 1);
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    expect(await (await send(handler, 'POST', sessionId, ping)).text()).toContain('"result":{}');
    await vi.advanceTimersByTimeAsync(IDLE_TIMEOUT_MS - 1);
    expect(handler.sessionCount).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(handler.sessionCount).toBe(0);
    expect((await send(handler, 'POST', sessionId, ping)).status).toBe(404);
  });

  it('lets a client be that listens, for as long as it does', async () => {
    const sessionId = await begin(handler);
    const stream = await send(handler, 'GET', sessionId);
    expect(stream.status).toBe(200);
    await vi.advanceTimersByTimeAsync(10 * IDLE_TIMEOUT_MS);
    expect(handler.sessionCount).toBe(1);
    await stream.body?.cancel();
    await vi.advanceTimersByTimeAsync(IDLE_TIMEOUT_MS);
    expect(handler.sessionCount).toBe(0);
  });

  it('keeps nothing of who does not introduce itself', async () => {
    expect((await send(handler, 'POST', undefined, { jsonrpc: '2.0', id: 2, method: 'ping' })).status).toBe(400);
    expect(handler.sessionCount).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['token', { token: '' }],
    ['idleTimeoutMs', { idleTimeoutMs: 0 }],
    ['idleTimeoutMs', { idleTimeoutMs: 2 ** 31 }],
  ])('refuses a %s that is of no use', (option, options) => {
    const open = (): Promise<never> => Promise.reject(new Error('nothing is called'));
    expect(() => new WorkspaceMcpHandler({ open, ...options })).toThrow(`The option ${option} cannot be used`);
  });
});
