import type { CapturedOutput } from '@agent-workspace/core';

const FIRST_CAPACITY_BYTES = 4_096;

/** Keeps the head and the tail of a stream of any length, in memory of a fixed size. */
export class OutputCapture {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head = Buffer.alloc(0);
  #headBytes = 0;
  /** A ring: the oldest byte of a full one is at `#tailBytes % #tailLimit`. */
  #tail = Buffer.alloc(0);
  /** Bytes ever written to the tail. */
  #tailBytes = 0;

  constructor(maxBytes: number) {
    this.#tailLimit = Math.floor(maxBytes / 2);
    this.#headLimit = maxBytes - this.#tailLimit;
  }

  write(chunk: Uint8Array): void {
    const toHead = chunk.subarray(0, this.#headLimit - this.#headBytes);
    if (toHead.length > 0) this.#writeHead(toHead);
    if (toHead.length < chunk.length) this.#writeTail(chunk.subarray(toHead.length));
  }

  result(): CapturedOutput {
    const totalBytes = this.#headBytes + this.#tailBytes;
    const head = this.#head.subarray(0, this.#headBytes);
    const droppedBytes = Math.max(0, this.#tailBytes - this.#tailLimit);
    if (droppedBytes === 0) {
      const rest = this.#tail.subarray(0, this.#tailBytes);
      const whole = rest.length === 0 ? head : Buffer.concat([head, rest]);
      return { head: whole, tail: new Uint8Array(0), droppedBytes, totalBytes };
    }
    const oldest = this.#tailLimit === 0 ? 0 : this.#tailBytes % this.#tailLimit;
    const tail = Buffer.concat([this.#tail.subarray(oldest), this.#tail.subarray(0, oldest)]);
    return { head, tail, droppedBytes, totalBytes };
  }

  #writeHead(bytes: Uint8Array): void {
    const needed = this.#headBytes + bytes.length;
    if (needed > this.#head.length) {
      const capacity = Math.min(this.#headLimit, Math.max(needed, this.#head.length * 2, FIRST_CAPACITY_BYTES));
      const larger = Buffer.allocUnsafe(capacity);
      this.#head.copy(larger, 0, 0, this.#headBytes);
      this.#head = larger;
    }
    this.#head.set(bytes, this.#headBytes);
    this.#headBytes = needed;
  }

  #writeTail(bytes: Uint8Array): void {
    if (this.#tailLimit === 0) {
      this.#tailBytes += bytes.length;
      return;
    }
    if (this.#tail.length === 0) this.#tail = Buffer.allocUnsafe(this.#tailLimit);
    // Of a chunk longer than the ring only the end survives.
    const skipped = Math.max(0, bytes.length - this.#tailLimit);
    const kept = bytes.subarray(skipped);
    const start = (this.#tailBytes + skipped) % this.#tailLimit;
    const toEnd = kept.subarray(0, this.#tailLimit - start);
    this.#tail.set(toEnd, start);
    this.#tail.set(kept.subarray(toEnd.length), 0);
    this.#tailBytes += bytes.length;
  }
}
