/** Time is counted in parts of this. */
const PART_MS = 500;
/** A part that took so much longer was one in which the sandbox was frozen. */
const FROZEN_MS = 1_000;

/**
 * Calls back once the sandbox has run for that long. What is paused does not get older: the clock of a real
 * sandbox stands still with it, and so a command does not come back from a pause with its time over.
 */
export function afterMs(timeoutMs: number, callback: () => void): Disposable {
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    const partMs = Math.min(leftMs, PART_MS);
    const startedMs = performance.now();
    timer = setTimeout(() => {
      const tookMs = Math.max(performance.now() - startedMs, partMs);
      const countedMs = tookMs > partMs + FROZEN_MS ? partMs : tookMs;
      if (leftMs > countedMs) wait(leftMs - countedMs);
      else callback();
    }, partMs);
  };
  wait(timeoutMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
