import { setTimeout as sleep } from 'node:timers/promises';
import { statusOf } from './translate-error.ts';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;

/** What the server has not begun to do. */
const UNDONE: ReadonlySet<number | undefined> = new Set([429]);
/** What may have been done, and may be asked again if it is the same twice. */
const PASSING: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

/** A connection that was kept, and that the server has closed in the meantime; or that it drops. */
const DROPPED: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const MAX_DROPS = 2;

export interface RetryOptions {
  /** Once done or twice is the same. */
  readonly isIdempotent: boolean;
  /** Ask again after a 500, too, this many times. Default: never. */
  readonly failures?: number | undefined;
  /** Milliseconds for all attempts together. */
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks again what E2B was too busy for. The SDK itself waits as long as a `Retry-After` says; this is
 * for answers without one.
 */
export async function retrying<T>(options: RetryOptions, ask: () => Promise<T>): Promise<T> {
  const { isIdempotent, failures = 0, withinMs, signal } = options;
  const passing = isIdempotent ? PASSING : UNDONE;
  const deadline = performance.now() + withinMs;
  let failuresLeft = failures;
  let dropsLeft = isIdempotent ? MAX_DROPS : 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    signal?.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      const status = statusOf(error);
      const mayPass =
        passing.has(status) || (status === 500 && failuresLeft-- > 0) || (isDropped(error) && dropsLeft-- > 0);
      if (!mayPass || performance.now() + pauseMs > deadline) throw error;
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

function isDropped(error: unknown): boolean {
  const cause: unknown = error instanceof TypeError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && DROPPED.has(cause.code);
}
