const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Measures the messages of a body, which are what has to be held in memory: the whole of it, or
 * each event of a stream of events. An event ends at an empty line, and not before: one message
 * may come as many lines.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class MessageMeter {
  readonly #isEventStream: boolean;
  #bytes = 0;
  #isLineStart = true;
  #isAfterReturn = false;

  constructor(options: { readonly isEventStream: boolean }) {
    this.#isEventStream = options.isEventStream;
  }

  /** Takes the next bytes of the body; gives the size of the longest message that has a part of them, as far as it has come. */
  push(chunk: Uint8Array): number {
    if (!this.#isEventStream) return (this.#bytes += chunk.length);
    // Fields are too slow to be read and written for every byte of tens of megabytes.
    let [bytes, isLineStart, isAfterReturn, longest] = [this.#bytes, this.#isLineStart, this.#isAfterReturn, 0];
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index];
      bytes += 1;
      const isSecondOfPair = byte === LINE_FEED && isAfterReturn;
      isAfterReturn = byte === CARRIAGE_RETURN;
      if (isSecondOfPair) continue;
      const isLineEnd = byte === LINE_FEED || isAfterReturn;
      if (isLineEnd && isLineStart) {
        longest = Math.max(longest, bytes);
        bytes = 0;
      }
      isLineStart = isLineEnd;
    }
    [this.#bytes, this.#isLineStart, this.#isAfterReturn] = [bytes, isLineStart, isAfterReturn];
    return Math.max(longest, bytes);
  }
}
