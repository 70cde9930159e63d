/** Proxies close what is silent for a minute. */
const KEEP_ALIVE_MS = 15_000;

export interface SseEvent {
  readonly id?: number | undefined;
  readonly event?: string | undefined;
  /** One line. */
  readonly data: string;
}

export interface SseOptions {
  /** Makes the events, until it ends or the signal says that nobody reads them any more. */
  readonly events: (signal: AbortSignal) => AsyncIterator<SseEvent>;
  /** Of the request. */
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Answers with events as they come. They are taken no faster than the client reads. */
export function sseResponse({ events, signal, headers }: SseOptions): Response {
  const left = new AbortController();
  const gone = AbortSignal.any([signal, left.signal]);
  const iterator = events(gone);
  const encoder = new TextEncoder();
  let keepAlive: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // Headers reach the client only with something behind them.
      controller.enqueue(encoder.encode(':\n\n'));
      keepAlive = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(':\n\n'));
      }, KEEP_ALIVE_MS).unref();
    },
    async pull(controller) {
      const next = await iterator.next();
      if (next.done !== true) {
        controller.enqueue(encoder.encode(toFrame(next.value)));
        return;
      }
      clearInterval(keepAlive);
      controller.close();
    },
    async cancel() {
      clearInterval(keepAlive);
      left.abort();
      await iterator.return?.();
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Nginx would hold back what is small.
      'x-accel-buffering': 'no',
      ...headers,
    },
  });
}

function toFrame({ id, event, data }: SseEvent): string {
  const lines = [
    id === undefined ? [] : [`id: ${id}`],
    event === undefined ? [] : [`event: ${event}`],
    [`data: ${data}`],
  ];
  return `${lines.flat().join('\n')}\n\n`;
}

/** Which event a client has seen last, or 0. */
export function lastEventId(header: string | undefined): number {
  const id = Number(header ?? '');
  return Number.isSafeInteger(id) && id > 0 ? id : 0;
}
