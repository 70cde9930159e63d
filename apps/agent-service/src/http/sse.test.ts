import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SseEvent, sseResponse } from './sse.ts';

const URL_OF_EVENTS = 'http://127.0.0.1/v1/events';

async function* endless(signal: AbortSignal): AsyncGenerator<SseEvent, void> {
  yield { data: 'first' };
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function* failing(): AsyncGenerator<SseEvent, void> {
  yield { data: 'first' };
  throw new Error('The log is gone.');
}

async function* short(): AsyncGenerator<SseEvent, void> {
  yield { id: 7, data: 'only' };
}

describe('an answer of events', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has no body for HEAD, for which nothing is followed', () => {
    const events = vi.fn(endless);
    const request = new Request(URL_OF_EVENTS, { method: 'HEAD' });
    const response = sseResponse({ events, request, headers: { 'x-more': 'yes' } });
    expect(response.body).toBeNull();
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-more')).toBe('yes');
    expect(events).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps its line open until its events end', async () => {
    const response = sseResponse({ events: short, request: new Request(URL_OF_EVENTS) });
    expect(vi.getTimerCount()).toBe(1);
    expect(await response.text()).toBe(':\n\nid: 7\ndata: only\n\n');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps nothing going where its events fail', async () => {
    const response = sseResponse({ events: failing, request: new Request(URL_OF_EVENTS) });
    await expect(response.text()).rejects.toThrow('The log is gone.');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps nothing going where its reader leaves', async () => {
    const response = sseResponse({ events: endless, request: new Request(URL_OF_EVENTS) });
    await response.body?.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps nothing going where its client leaves, be it before there is an answer', () => {
    const client = new AbortController();
    const request = new Request(URL_OF_EVENTS, { signal: client.signal });
    const early = sseResponse({ events: endless, request });
    expect(vi.getTimerCount()).toBe(1);
    client.abort();
    expect(vi.getTimerCount()).toBe(0);
    const late = sseResponse({ events: endless, request });
    expect(vi.getTimerCount()).toBe(0);
    expect([early.status, late.status]).toEqual([200, 200]);
  });
});
