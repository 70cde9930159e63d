import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;

/**
 * Asks until the answer is true.
 * @param what completes "waited until …" in the error
 * @throws Error after the deadline, with what the last asking failed with, if it did
 */
export async function waitUntil(what: string, timeoutMs: number, ask: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      if (await ask()) return;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) break;
    await delay(POLL_MS);
  }
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  throw new Error(`Waited for ${timeoutMs / 1000} s until ${what}, in vain${reason}`, { cause });
}
