/** For a cancellation that overtook its call on another connection. */
const EARLY_CANCELLATION_MS = 30_000;
const MAX_EARLY_CANCELLATIONS = 1000;

/** A call in flight. Disposed when it is over, with all of its answer. */
export interface Call extends Disposable {
  readonly signal: AbortSignal;
}

interface RunningCall {
  readonly controller: AbortController;
  readonly onEnd: (() => void)[];
}

/** Calls in flight. Those that their callers named can be cancelled from another connection. */
export class CallRegistry {
  readonly #running = new Set<RunningCall>();
  readonly #named = new Map<string, RunningCall>();
  /** When each is forgotten, in milliseconds of the monotonic clock; in the order of that. */
  readonly #cancelledEarly = new Map<string, number>();
  #isClosed = false;

  get size(): number {
    return this.#running.size;
  }

  /** A call that ends with `disconnected`, with `abortAll` and, if it has an id, with `cancel`. */
  begin(callId: string | undefined, disconnected: AbortSignal): Call {
    const controller = new AbortController();
    const running: RunningCall = { controller, onEnd: [] };
    const abort = (): void => controller.abort(disconnected.reason);
    if (this.#isClosed || disconnected.aborted || this.#takeEarly(callId)) abort();
    else disconnected.addEventListener('abort', abort);
    this.#running.add(running);
    if (callId !== undefined) this.#named.set(callId, running);
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        disconnected.removeEventListener('abort', abort);
        this.#running.delete(running);
        if (callId !== undefined && this.#named.get(callId) === running) this.#named.delete(callId);
        for (const told of running.onEnd) told();
      },
    };
  }

  /** Aborts every call; settles when all that ran are over. */
  async abortAll(): Promise<void> {
    const ends = [...this.#running].map((running) => {
      const ended = new Promise<void>((resolve) => void running.onEnd.push(resolve));
      running.controller.abort();
      return ended;
    });
    await Promise.all(ends);
  }

  /** Aborts every call without waiting for one, and those that come later from the start. */
  close(): void {
    this.#isClosed = true;
    for (const { controller } of this.#running) controller.abort();
  }

  /** Aborts a call, also one that is still to come. @returns whether it was there */
  cancel(callId: string): boolean {
    const running = this.#named.get(callId);
    if (running === undefined) this.#rememberEarly(callId);
    else running.controller.abort();
    return running !== undefined;
  }

  #rememberEarly(callId: string): void {
    const now = performance.now();
    for (const [known, forgetAt] of this.#cancelledEarly) {
      if (forgetAt > now && this.#cancelledEarly.size < MAX_EARLY_CANCELLATIONS) break;
      this.#cancelledEarly.delete(known);
    }
    this.#cancelledEarly.set(callId, now + EARLY_CANCELLATION_MS);
  }

  #takeEarly(callId: string | undefined): boolean {
    if (callId === undefined || this.#cancelledEarly.size === 0) return false;
    const forgetAt = this.#cancelledEarly.get(callId);
    this.#cancelledEarly.delete(callId);
    return forgetAt !== undefined && forgetAt > performance.now();
  }
}
