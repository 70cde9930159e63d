import { GatewayRequestInvalidError } from '@agent-workspace/core';
import { PROCESS_WINDOW_BYTES } from '@agent-workspace/gateway-protocol';
import { Change } from '../async/change.ts';

export interface OutputRequest {
  /** What is before it is let go of. */
  readonly offset: number;
  readonly maxBytes: number;
  /** Milliseconds to wait for the first byte. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export interface OutputPart {
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** There is nothing after these bytes. */
  readonly isEnd: boolean;
}

/**
 * What a process has written and its reader has not confirmed, so that a part whose answer got
 * lost can be asked for again. Once that fills the window, the process is not read from.
 */
export class OutputWindow {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #change = new Change();
  #chunks: Uint8Array[] = [];
  /** Of the first byte that is kept. */
  #offset = 0;
  #length = 0;
  #isEnded = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    void this.#fill();
  }

  /** @throws `gateway-request-invalid` for an offset that is not there any more, or not yet */
  async read({ offset, maxBytes, waitMs, signal }: OutputRequest): Promise<OutputPart> {
    this.#confirm(offset);
    await this.#change.until(() => this.#length > 0 || this.#isEnded, { waitMs, signal });
    const bytes = this.#first(maxBytes);
    return { offset, bytes, isEnd: this.#isEnded && bytes.byteLength === this.#length };
  }

  /** Closes this end of the pipe. */
  async close(): Promise<void> {
    this.#chunks = [];
    this.#offset += this.#length;
    this.#length = 0;
    await this.#reader.cancel();
  }

  async #fill(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.#chunks.push(value);
        this.#length += value.byteLength;
        this.#change.notify();
        await this.#change.until(() => this.#length < PROCESS_WINDOW_BYTES);
      }
    } catch {
      // A pipe that breaks ends, as it does for whoever reads it directly.
    }
    this.#isEnded = true;
    this.#change.notify();
  }

  #confirm(offset: number): void {
    let count = offset - this.#offset;
    if (count < 0 || count > this.#length) {
      const reason = `its output is there from ${this.#offset} to ${this.#offset + this.#length}, and not at ${offset}`;
      throw new GatewayRequestInvalidError({ operation: 'reading from a process', reason });
    }
    this.#offset += count;
    this.#length -= count;
    while (count > 0) {
      const [first = new Uint8Array()] = this.#chunks;
      if (first.byteLength > count) this.#chunks[0] = first.subarray(count);
      else this.#chunks.shift();
      count -= Math.min(count, first.byteLength);
    }
    this.#change.notify();
  }

  #first(maxBytes: number): Uint8Array {
    const chunks: Uint8Array[] = [];
    let left = maxBytes;
    for (const chunk of this.#chunks) {
      if (left <= 0) break;
      chunks.push(chunk.subarray(0, left));
      left -= chunk.byteLength;
    }
    const [first] = chunks;
    return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
  }
}
