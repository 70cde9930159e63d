export interface SseMessage {
  /** The last one that was sent, by this message or an earlier one. */
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/**
 * The messages of a stream of server-sent events, as the HTML standard has them.
 *
 * @param onActivity called for all that comes, comments too
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export async function* readSse(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onActivity: () => void = () => {},
): AsyncGenerator<SseMessage, void> {
  let id: string | undefined;
  let event = '';
  let data: string[] = [];
  for await (const line of lines(body, onActivity)) {
    if (line === '') {
      if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') };
      [event, data] = ['', []];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /u, '');
    if (field === 'id') id = value;
    else if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
}

async function* lines(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onActivity: () => void,
): AsyncGenerator<string, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onActivity();
      // A CR at the end may be half of a CRLF, whose other half is still to come.
      const parts = (rest + value).split(/\r\n|\n|\r(?!$)/u);
      rest = parts.pop() ?? '';
      yield* parts;
    }
  } finally {
    await reader.cancel();
  }
}
