import { MockAgent } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpStatusError } from './http-errors.ts';
import { createServerFetch } from './server-fetch.ts';

const ORIGIN = 'http://mcp.test';
const MESSAGE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { _meta: { progressToken: 7 } },
});
const RESUMING = { headers: { 'last-event-id': '1' } };

interface Answer {
  readonly method?: 'GET' | 'POST';
  readonly status?: number;
  readonly type?: string;
  readonly body?: string;
}

const open: MockAgent[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((agent) => agent.close()));
});

/** A fetch whose server gives these answers, one after the other, and what is told of them. */
function fetchAnswered(...answers: readonly Answer[]) {
  const dispatcher = new MockAgent();
  open.push(dispatcher);
  dispatcher.disableNetConnect();
  for (const { method = 'GET', status = 200, type = 'text/event-stream', body = '' } of answers) {
    const headers = { 'content-type': type };
    dispatcher.get(ORIGIN).intercept({ path: '/mcp', method }).reply(status, body, { headers });
  }
  const isAwaited = vi.fn<(lastEventId: string) => boolean>().mockReturnValue(false);
  const onOverlong = vi.fn<() => void>();
  const onResponseOver = vi.fn<(token: number, isResumable: boolean) => void>();
  const options = { dispatcher, maxMessageBytes: 20, isAnsweredInResponse: true };
  const fetch = createServerFetch({ ...options, isAwaited, onOverlong, onResponseOver });
  const get = (init: RequestInit = {}): Promise<Response> => fetch(`${ORIGIN}/mcp`, { method: 'GET', ...init });
  const post = (): Promise<Response> => fetch(`${ORIGIN}/mcp`, { method: 'POST', body: MESSAGE });
  return { get, post, isAwaited, onOverlong, onResponseOver, dispatcher };
}

describe('the longest message', () => {
  it.each([
    { method: 'POST', type: 'application/json', body: '{\n\n"a":\n\n"0123456789"\n}' },
    { method: 'POST', status: 201, type: 'application/json', body: ' \n'.repeat(11) },
    { method: 'POST', body: 'data: 1\n'.repeat(3) },
    { method: 'POST', type: 'Text/Event-Stream; charset=utf-8', body: 'data: 1\r\n'.repeat(3) },
    { method: 'GET', body: 'data: 1\n'.repeat(3) },
  ] as const)('ends a response of one that is longer, whatever its lines (%j)', async (answer) => {
    const { get, post, onOverlong } = fetchAnswered(answer);
    const response = await (answer.method === 'GET' ? get() : post());
    await expect(response.text()).rejects.toThrow('too long');
    expect(onOverlong).toHaveBeenCalledOnce();
  });

  it.each([
    { method: 'POST', type: 'application/json', body: '{"a":\n"01234567"}' },
    { method: 'POST', body: 'data: 1\ndata: 2\n\n'.repeat(9) },
    { method: 'POST', body: 'data: 1\r\ndata: 2\r\n\r\n'.repeat(9) },
    { method: 'GET', type: 'text/plain', body: 'data: 1\ndata: 2\n\n'.repeat(9) },
  ] as const)('passes on what has none (%j)', async (answer) => {
    const { get, post, onOverlong } = fetchAnswered(answer);
    const response = await (answer.method === 'GET' ? get() : post());
    expect(await response.text()).toBe(answer.body);
    expect(onOverlong).not.toHaveBeenCalled();
  });
});

describe('the end of a response', () => {
  it('is told, but for one that promises an answer elsewhere', async () => {
    const { post, onResponseOver } = fetchAnswered({ method: 'POST', status: 202 }, { method: 'POST' });
    await (await post()).text();
    expect(onResponseOver).not.toHaveBeenCalled();
    await (await post()).text();
    expect(onResponseOver).toHaveBeenCalledExactlyOnceWith(7, false);
  });
});

describe('a 405', () => {
  it('is an error for the rest of an answer, and none for news', async () => {
    const { get } = fetchAnswered({ status: 405 }, { status: 405 });
    expect(await get()).toMatchObject({ status: 405 });
    await expect(get(RESUMING)).rejects.toBeInstanceOf(HttpStatusError);
  });
});

describe('a stream that ends at once', () => {
  // However long the machine takes for it.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

  it('leaves a gap to the next one, which ends with the signal and without a request', async () => {
    const { get, dispatcher } = fetchAnswered({}, {});
    await (await get()).text();
    const controller = new AbortController();
    const waiting = get({ ...RESUMING, signal: controller.signal });
    controller.abort();
    expect(await waiting).toMatchObject({ status: 405 });
    expect(dispatcher.pendingInterceptors()).toHaveLength(1);
  });

  it('leaves none to the rest of an answer that somebody waits for', async () => {
    const { get, post, isAwaited, onResponseOver } = fetchAnswered(
      {},
      { method: 'POST', body: 'id: 1\ndata: \n\n' },
      ...Array.from({ length: 20 }, () => ({ body: 'data: rest\n\n' })),
    );
    await (await get()).text();
    await (await post()).text();
    expect(onResponseOver).toHaveBeenCalledExactlyOnceWith(7, true);
    isAwaited.mockImplementation((lastEventId) => lastEventId === '1');
    // With gaps it would be minutes.
    for (let count = 0; count < 20; count++) expect(await (await get(RESUMING)).text()).toBe('data: rest\n\n');
  });
});
