/**
 * What has to be held of a line that is too long to be held: so many bytes before a place in it. That place is past all
 * that is shown of the line, or past its end.
 */
export class LongLine {
  readonly #until: number;
  readonly #keepBytes: number;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #lineBytes = 0;

  constructor({ until, keepBytes }: { readonly until: number; readonly keepBytes: number }) {
    this.#until = until;
    this.#keepBytes = keepBytes;
  }

  add(bytes: Buffer): void {
    const part = bytes.subarray(0, Math.max(0, this.#until - this.#lineBytes));
    this.#lineBytes += bytes.byteLength;
    if (part.byteLength === 0) return;
    this.#parts.push(part);
    this.#partBytes += part.byteLength;
    let first = this.#parts[0]?.byteLength ?? 0;
    while (this.#partBytes - first >= this.#keepBytes) {
      this.#parts.shift();
      this.#partBytes -= first;
      first = this.#parts[0]?.byteLength ?? 0;
    }
  }

  /** What is held, where in the line it begins, and whether it goes to the line's end. */
  end(): { readonly bytes: Buffer; readonly offset: number; readonly hasEnd: boolean } {
    const joined = Buffer.concat(this.#parts);
    const bytes = joined.subarray(Math.max(0, joined.byteLength - this.#keepBytes));
    const heldEnd = Math.min(this.#lineBytes, this.#until);
    return { bytes, offset: heldEnd - bytes.byteLength, hasEnd: heldEnd === this.#lineBytes };
  }
}
