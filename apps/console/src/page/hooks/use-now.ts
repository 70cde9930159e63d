import { useEffect, useState } from 'preact/hooks';

const TICK_MS = 1_000;

/** All who show the time: one clock ticks for them, while there are any. */
const watchers = new Set<(now: number) => void>();
let clock: ReturnType<typeof setInterval> | undefined;

/** The time, as `Date.now()` has it, again each second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    watchers.add(setNow);
    clock ??= setInterval(() => {
      const time = Date.now();
      for (const watcher of watchers) watcher(time);
    }, TICK_MS);
    return () => {
      watchers.delete(setNow);
      if (watchers.size > 0) return;
      clearInterval(clock);
      clock = undefined;
    };
  }, []);
  return now;
}
