import { CONTENT_TYPES, type GatewayEvent } from '@agent-workspace/gateway-protocol';
import { jsonLine } from '../http/json-line.ts';
import { LiveBody } from '../http/live-body.ts';

const ALIVE = jsonLine({ type: 'alive' } satisfies GatewayEvent);

/** Passes what happens on to all who listen. */
export class EventHub {
  readonly #readers = new Set<LiveBody>();

  get readers(): number {
    return this.#readers.size;
  }

  emit(event: GatewayEvent): void {
    const line = jsonLine(event);
    for (const reader of this.#readers) {
      if (reader.isCancelled || reader.isFull) this.#forget(reader);
      else void reader.write(line);
    }
  }

  /**
   * One JSON line for each event from now on, and `alive` at first and while nothing happens. The
   * stream of a reader that falls far behind ends: it has to look for itself.
   */
  stream(signal: AbortSignal): ReadableStream<Uint8Array> {
    const reader = new LiveBody({ contentType: CONTENT_TYPES.ndjson, alive: ALIVE, problem: () => ALIVE });
    void reader.write(ALIVE);
    this.#readers.add(reader);
    signal.addEventListener('abort', () => this.#forget(reader), { once: true });
    return reader.stream();
  }

  /** Ends every stream. */
  close(): void {
    for (const reader of this.#readers) this.#forget(reader);
  }

  #forget(reader: LiveBody): void {
    this.#readers.delete(reader);
    reader.end();
  }
}
