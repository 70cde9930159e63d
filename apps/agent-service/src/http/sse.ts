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
  readonly request: Request;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Answers with events as they come. They are taken no faster than the client reads. */
export function sseResponse({ events, request, headers }: SseOptions): Response {
  const init = {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Nginx would hold back what is small.
      'x-accel-buffering': 'no',
      ...headers,
    },
  };
  // Nobody reads a body of this one, and nobody would end it.
  if (request.method === 'HEAD') return new Response(null, init);
  const left = new AbortController();
  const gone = AbortSignal.any([request.signal, left.signal]);
  const iterator = events(gone);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // Headers reach the client only with something behind them.
      controller.enqueue(encoder.encode(':\n\n'));
      if (gone.aborted) return;
      const keepAlive = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(':\n\n'));
      }, KEEP_ALIVE_MS).unref();
      gone.addEventListener('abort', () => clearInterval(keepAlive), { once: true });
    },
    async pull(controller) {
      try {
        const next = await iterator.next();
        if (next.done !== true) {
          controller.enqueue(encoder.encode(toFrame(next.value)));
          return;
        }
      } catch (error) {
        left.abort();
        throw error;
      }
      left.abort();
      controller.close();
    },
    async cancel() {
      left.abort();
      await iterator.return?.();
    },
  });
  return new Response(body, init);
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
