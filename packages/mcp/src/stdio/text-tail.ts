/** Keeps the end of a byte stream, in memory that does not grow. */
export class TextTail {
  readonly #maxBytes: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    // Twice the room, so that what is kept moves to the front only now and then.
    if (this.#buffer.length === 0) this.#buffer = Buffer.alloc(this.#maxBytes * 2);
    const kept = chunk.length > this.#maxBytes ? chunk.subarray(chunk.length - this.#maxBytes) : chunk;
    if (this.#length + kept.length > this.#buffer.length) {
      const start = Math.max(0, this.#length - this.#maxBytes);
      this.#buffer.copyWithin(0, start, this.#length);
      this.#length -= start;
    }
    this.#buffer.set(kept, this.#length);
    this.#length += kept.length;
  }

  /** The last bytes as text, cut between characters. */
  text(maxBytes: number = this.#maxBytes): string {
    let start = Math.max(0, this.#length - Math.min(maxBytes, this.#maxBytes));
    if (start > 0) {
      const limit = start + 3;
      while (start < limit && ((this.#buffer[start] ?? 0) & 0xc0) === 0x80) start += 1;
    }
    // `stream` leaves out a last character that has not come whole yet.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#buffer.subarray(start, this.#length), {
      stream: true,
    });
  }
}
