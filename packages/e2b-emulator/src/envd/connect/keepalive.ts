import type { IncomingHttpHeaders } from 'node:http';

/** Where the client does not ask for another. */
const DEFAULT_INTERVAL_MS = 90_000;

/** After how much silence a stream is to show that it is alive: `Keepalive-Ping-Interval`, in whole seconds. */
export function readKeepaliveMs(headers: IncomingHttpHeaders): number {
  const interval = headers['keepalive-ping-interval'];
  return typeof interval === 'string' && /^[1-9]\d{0,6}$/.test(interval)
    ? Number(interval) * 1000
    : DEFAULT_INTERVAL_MS;
}

/** The same messages, and one that says nothing after each silent interval. */
export async function* withKeepalive<T>(
  messages: AsyncIterable<T>,
  intervalMs: number,
  keepalive: T,
): AsyncGenerator<T, void> {
  const iterator = messages[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  try {
    let next = iterator.next();
    for (;;) {
      const silence = new Promise<'silence'>((resolve) => {
        timer = setTimeout(resolve, intervalMs, 'silence');
      });
      const first = await Promise.race([next, silence]);
      clearTimeout(timer);
      if (first === 'silence') {
        yield keepalive;
        continue;
      }
      if (first.done === true) return;
      yield first.value;
      next = iterator.next();
    }
  } finally {
    clearTimeout(timer);
    await iterator.return?.();
  }
}
