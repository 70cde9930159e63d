import type { ApiClient } from '../api/api-client.ts';
import { ApiError, toApiError } from '../api/api-error.ts';
import { readSse } from '../api/read-sse.ts';
import type { ServiceEvent } from '../api/types.ts';

/** Of a comment every 15 s, two may be lost before the line is called dead. */
const SILENCE_MS = 40_000;
const NONE_SEEN = '0';
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;

export type StreamState = 'connecting' | 'connected' | 'reconnecting';

export interface EventStreamOptions {
  readonly api: ApiClient;
  /** With whether it was before the page came: then what it is about has been read since. */
  readonly onEvent: (event: ServiceEvent, isOld: boolean) => void;
  /** With the reason for which the line was lost, where there is one. */
  readonly onState: (state: StreamState, reason?: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Reads the service's events for as long as it is let, connecting again whenever the line is lost. */
export async function followEvents({ api, onEvent, onState, signal }: EventStreamOptions): Promise<void> {
  // At first all that the service still has.
  let lastEventId = NONE_SEEN;
  let liveFromMs: number | undefined;
  let failures = 0;
  const readOnce = async (): Promise<void> => {
    using line = new Line(signal);
    const request = { headers: { 'last-event-id': lastEventId }, signal: line.signal };
    const { body, headers } = await api.fetch('v1/events', request);
    if (body === null) return;
    // By the clock that stamps the events.
    liveFromMs ??= Date.parse(headers.get('date') ?? '');
    failures = 0;
    onState('connected');
    for await (const { id, data } of readSse(body, () => line.refresh())) {
      const event = { at: new Date().toISOString(), ...(JSON.parse(data) as Omit<ServiceEvent, 'at'>) } as ServiceEvent;
      // What is gone from before the page came was not missed by it.
      if (event.type === 'missed' && lastEventId === NONE_SEEN) continue;
      lastEventId = id ?? lastEventId;
      onEvent(event, Date.parse(event.at) < liveFromMs);
    }
  };
  onState('connecting');
  while (!signal.aborted) {
    let reason = 'The service ended the stream.';
    try {
      await readOnce();
    } catch (error) {
      // Whoever holds the token asks for another one; there is nothing to wait for.
      if (error instanceof ApiError && error.status === 401) return;
      reason = toApiError(error).message;
    }
    if (signal.aborted) return;
    onState('reconnecting', reason);
    await delay(delayMs(failures), signal);
    failures += 1;
  }
}

/** Grows, and differs from page to page, so that a service that comes back is not stormed. */
function delayMs(failures: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (0.75 + Math.random() / 2);
}

/** Resolves early when it is given up. */
async function delay(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** One connection, given up when it has been silent for too long. */
class Line implements Disposable {
  readonly #silence = new AbortController();
  readonly signal: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#silence.signal]);
    this.refresh();
  }

  refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#silence.abort(new Error('The stream fell silent.')), SILENCE_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
