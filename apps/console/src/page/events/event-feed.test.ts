import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiClient } from '../api/api-client.ts';
import { EventFeed, KEPT_EVENTS } from './event-feed.ts';

/** Generous: a machine that is busy with other tests takes its time. */
const WAIT_MS = 10_000;

const AT = '2026-01-01T00:00:00.000Z';

/** A stream of events with these ids; ends after them, or stays. */
function streamOf(ids: readonly number[], isOpen: boolean): Response {
  const frames = ids.map((id) => `id: ${id}\ndata: ${JSON.stringify({ type: 'told', at: AT, id })}\n\n`);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(`:\n\n${frames.join('')}`));
      if (!isOpen) controller.close();
    },
  });
  return new Response(body);
}

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

let feed: EventFeed;
const answer = vi.fn<(url: URL, init: RequestInit) => Promise<Response>>();
const onUnauthorized = vi.fn<() => void>();
const open = (): void => feed.open(new ApiClient({ token: 'a token', onUnauthorized }));
const shownIds = (): readonly unknown[] => feed.view.entries.map(({ event }) => event['id']);

beforeEach(() => {
  vi.stubGlobal('document', { baseURI: 'http://127.0.0.1/' });
  vi.stubGlobal('fetch', answer);
  feed = new EventFeed();
});

afterEach(() => {
  feed.close();
  vi.resetAllMocks();
  vi.unstubAllGlobals();
});

it('keeps the newest events, the newest first', async () => {
  answer.mockResolvedValue(streamOf(range(1, KEPT_EVENTS + 20), true));
  open();
  await vi.waitFor(() => expect(shownIds()).toStrictEqual(range(21, KEPT_EVENTS + 20).toReversed()), WAIT_MS);
  expect(feed.view.state).toBe('connected');
});

it('connects again when the line is lost, from where it was', async () => {
  answer.mockResolvedValueOnce(streamOf([1, 2], false));
  answer.mockRejectedValueOnce(new TypeError('fetch failed'));
  answer.mockResolvedValueOnce(streamOf([3], true));
  const types: string[] = [];
  feed.listen(({ type }) => types.push(type));
  open();
  await vi.waitFor(() => expect(types).toStrictEqual(['told', 'told', 'console-reconnected', 'told']), WAIT_MS);
  const sent = answer.mock.calls.map(([, { headers }]) => (headers as Record<string, string>)['last-event-id']);
  expect(sent).toStrictEqual(['0', '2', '2']);
});

it('shows what was before the page came, and tells nobody of it', async () => {
  const response = streamOf([1, 2], true);
  response.headers.set('date', 'Thu, 01 Jan 2026 00:00:10 GMT');
  answer.mockResolvedValue(response);
  const listener = vi.fn();
  feed.listen(listener);
  open();
  await vi.waitFor(() => expect(shownIds()).toStrictEqual([2, 1]), WAIT_MS);
  expect(listener).not.toHaveBeenCalled();
});

it('says why it is not connected', async () => {
  answer.mockRejectedValue(new TypeError('fetch failed'));
  open();
  await vi.waitFor(() => expect(feed.view.state).toBe('reconnecting'), WAIT_MS);
  expect(feed.view.reason).toBe('The service cannot be reached. Is it running, and is the network up?');
});

it('gives up with a token that is not accepted', async () => {
  answer.mockResolvedValue(Response.json({ error: { code: 'unauthorized', message: 'No.' } }, { status: 401 }));
  open();
  await vi.waitFor(() => expect(onUnauthorized).toHaveBeenCalledOnce(), WAIT_MS);
  expect(answer).toHaveBeenCalledOnce();
});
