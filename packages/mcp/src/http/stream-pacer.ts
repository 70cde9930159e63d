import { setTimeout as pause } from 'node:timers/promises';
import { RestartBackoff } from '../restart-backoff.ts';

const FIRST_GAP_MS = 1000;
/** A stream that lives this long may be opened again at once: that makes one request in a second at most. */
const YOUNG_MS = 1000;

/**
 * Leaves gaps between the requests for a server's stream of events where the streams end as soon
 * as they have begun: 1 s, then twice as long each time, at most 30 s. The SDK comes back without
 * end, and after as little as the server tells it to wait.
 */
export class StreamPacer {
  readonly #now: () => number;
  readonly #backoff: RestartBackoff;

  /** @param now milliseconds that no setting of the clock changes */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#backoff = new RestartBackoff({ firstGapMs: FIRST_GAP_MS, now });
  }

  get remainingMs(): number {
    return this.#backoff.remainingMs;
  }

  /** Waits for the gap to be over; `false` if `signal` aborted before. */
  async wait(signal: AbortSignal | undefined): Promise<boolean> {
    if (this.remainingMs > 0) await pause(this.remainingMs, undefined, { signal }).catch(() => undefined);
    return signal?.aborted !== true;
  }

  /** A stream has begun: what this gives is to be called when it ends. */
  opened(): () => void {
    const openedAt = this.#now();
    return () => {
      if (this.#now() - openedAt < YOUNG_MS) this.#backoff.recordFailure();
      else this.#backoff.recordSuccess();
    };
  }
}
