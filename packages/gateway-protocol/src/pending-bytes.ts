const LINE_FEED = 0x0a;
const NOTHING = new Uint8Array(0);

/** A smaller chunk is copied: what it is a part of, and the object that it is, may be far more than its bytes. */
const SMALL_BYTES = 16 * 1024;
/** A chunk that is less than this part of what it is a view of keeps too much alive. */
const LEAST_PART = 1 / 4;
/** Small chunks are copied into blocks, which are as large as what is pending, up to this. */
const MAX_BLOCK_BYTES = 64 * 1024;

/** Whether a chunk is a small part of what it is a view of, all of which stays in memory as long as it does. */
export function isSmallPart({ byteLength, buffer }: Uint8Array): boolean {
  return byteLength < buffer.byteLength * LEAST_PART;
}

/**
 * Bytes that have come and are not used yet.
 *
 * The memory that they take is in proportion to their number, however a peer cuts them: a chunk as
 * HTTP clients give it is a view of all that was read with it, framing included. Large chunks are
 * kept as they are, and not copied.
 */
export class PendingBytes {
  #chunks: Uint8Array[] = [];
  #length = 0;
  /** So many bytes at the beginning have no line feed among them. */
  #searched = 0;
  #block: Uint8Array = NOTHING;
  #used = 0;

  get length(): number {
    return this.#length;
  }

  push(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return;
    if (chunk.byteLength < SMALL_BYTES || isSmallPart(chunk)) this.#copy(chunk);
    else this.#chunks.push(chunk);
    this.#length += chunk.byteLength;
  }

  /** Where the first line ends, or -1. What came earlier is not looked through again. */
  lineLength(): number {
    let before = 0;
    for (const chunk of this.#chunks) {
      const from = Math.max(this.#searched - before, 0);
      const index = from < chunk.byteLength ? chunk.indexOf(LINE_FEED, from) : -1;
      if (index >= 0) return before + index;
      before += chunk.byteLength;
    }
    this.#searched = before;
    return -1;
  }

  /** The first `count`, of which there have to be so many. */
  take(count: number): Uint8Array {
    const first = this.#chunks[0];
    if (first === undefined || first.byteLength < count) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#cut(count);
  }

  #cut(count: number): Uint8Array {
    const [first = NOTHING, ...rest] = this.#chunks;
    this.#chunks = first.byteLength > count ? [first.subarray(count), ...rest] : rest;
    this.#length -= count;
    this.#searched = Math.max(this.#searched - count, 0);
    return first.subarray(0, count);
  }

  #copy(chunk: Uint8Array): void {
    const size = chunk.byteLength;
    if (this.#block.byteLength - this.#used < size) {
      this.#block = Buffer.allocUnsafeSlow(Math.max(size, Math.min(this.#length, MAX_BLOCK_BYTES)));
      this.#used = 0;
    }
    const start = this.#used;
    this.#block.set(chunk, start);
    this.#used += size;
    const last = this.#chunks.at(-1);
    const isNext = last?.buffer === this.#block.buffer && last.byteOffset + last.byteLength === start;
    if (isNext) this.#chunks[this.#chunks.length - 1] = this.#block.subarray(last.byteOffset, this.#used);
    else this.#chunks.push(this.#block.subarray(start, this.#used));
  }
}
