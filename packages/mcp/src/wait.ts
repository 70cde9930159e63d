/** Node's timers overflow beyond it, and then fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A delay that a timer can hold. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(0, ms), LONGEST_TIMER_MS);
}

/** Waits for `promise`, or rejects with what `reject` gives as soon as `signal` aborts; the work goes on either way. */
export async function waitFor<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  reject: (reason: unknown) => unknown,
): Promise<T> {
  if (!signal) return promise;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(reject(signal.reason));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
