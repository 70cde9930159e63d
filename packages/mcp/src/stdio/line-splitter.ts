const LINE_FEED = 0x0a;

/**
 * Cuts a byte stream into lines at 0x0A alone: U+2028 and its like are content, and a character
 * that is split over two chunks is whole again before anyone decodes it.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #pieces: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The line that has not ended yet is longer than allowed. */
  get isOverlong(): boolean {
    return this.#pendingBytes > this.#maxLineBytes;
  }

  /** The lines that `chunk` completes, without their ends; one that is too long ends the iteration. */
  *push(chunk: Uint8Array): Generator<string> {
    let from = 0;
    while (from <= chunk.length) {
      const end = chunk.indexOf(LINE_FEED, from);
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end);
      this.#pieces.push(piece);
      this.#pendingBytes += piece.length;
      if (end === -1 || this.isOverlong) return;
      const line = Buffer.concat(this.#pieces, this.#pendingBytes).toString('utf8');
      this.#pieces = [];
      this.#pendingBytes = 0;
      yield line;
      from = end + 1;
    }
  }
}
