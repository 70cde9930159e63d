import type { ApiClient } from '../api/api-client.ts';
import type { ServiceEvent } from '../api/types.ts';
import { followEvents, type StreamState } from './event-stream.ts';

/** Events that are kept to be shown. The service keeps as many for those who come back. */
export const KEPT_EVENTS = 500;

/** Events come in bursts; a page that is drawn for each would do nothing else. */
const DRAW_EVERY_MS = 100;

/** An event, and its number on this page: ids of the service begin anew when it restarts. */
export interface FeedEntry {
  readonly number: number;
  readonly event: ServiceEvent;
}

export interface FeedView {
  readonly state: StreamState;
  /** Why the line was lost, while it is. */
  readonly reason: string | undefined;
  /** Newest first. */
  readonly entries: readonly FeedEntry[];
}

/** All that the service tells while the page is open, for whoever on it wants to know. */
export class EventFeed {
  readonly #closed = new AbortController();
  readonly #views = new Set<() => void>();
  readonly #listeners = new Set<(event: ServiceEvent) => void>();
  #view: FeedView = { state: 'connecting', reason: undefined, entries: [] };
  #line: Pick<FeedView, 'state' | 'reason'> = { state: 'connecting', reason: undefined };
  #pending: FeedEntry[] = [];
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #count = 0;

  /** Begins to read. What was missed for good, by a restart for example, is told as `console-reconnected`. */
  open(api: ApiClient): void {
    let wasConnected = false;
    void followEvents({
      api,
      signal: this.#closed.signal,
      onEvent: (event, isOld) => this.#add(event, isOld),
      onState: (state, reason) => {
        this.#line = { state, reason };
        this.#draw();
        if (state !== 'connected') return;
        if (wasConnected) this.#add({ type: 'console-reconnected', at: new Date().toISOString() }, false);
        wasConnected = true;
      },
    });
  }

  get view(): FeedView {
    return this.#view;
  }

  /** Calls back when there is a new view, in short intervals. */
  watch(callback: () => void): () => void {
    this.#views.add(callback);
    return () => this.#views.delete(callback);
  }

  /** Calls back for each event that happens from now on, at once. */
  listen(callback: (event: ServiceEvent) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  clear(): void {
    this.#pending = [];
    this.#view = { ...this.#view, entries: [] };
    this.#draw();
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#drawing);
  }

  #add(event: ServiceEvent, isOld: boolean): void {
    this.#count += 1;
    this.#pending.push({ number: this.#count, event });
    if (!isOld) for (const listener of this.#listeners) listener(event);
    this.#draw();
  }

  #draw(): void {
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      const entries = [...this.#pending.toReversed(), ...this.#view.entries].slice(0, KEPT_EVENTS);
      this.#pending = [];
      this.#view = { ...this.#line, entries };
      for (const callback of this.#views) callback();
    }, DRAW_EVERY_MS);
  }
}
