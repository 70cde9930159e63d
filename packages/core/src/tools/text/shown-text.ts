/**
 * A file's text as Read shows it, every line ending in a line feed, with the way back to the
 * places in the file.
 */
export class ShownText {
  readonly source: string;
  readonly text: string;
  /** Places of the line feeds in `text` that have a carriage return before them in `source`. */
  readonly #returns: readonly number[];
  /** The last answer of `lineEndAt`, so that many places on one long line do not each look for its end. */
  #lineEnd: { readonly from: number; readonly to: number; readonly value: '\r\n' | '\n' } | undefined;

  constructor(source: string) {
    this.source = source;
    this.text = source.replaceAll('\r\n', '\n');
    const returns: number[] = [];
    if (this.text.length !== source.length) {
      for (let at = source.indexOf('\r\n'); at !== -1; at = source.indexOf('\r\n', at + 2)) {
        returns.push(at - returns.length);
      }
    }
    this.#returns = returns;
  }

  get hasReturns(): boolean {
    return this.#returns.length > 0;
  }

  /** The place in `source` of a place in `text`. That of a line end is before its carriage return. */
  sourceOffset(offset: number): number {
    let low = 0;
    let high = this.#returns.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#returns[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low;
  }

  /** The line end that the line at a place in `source` has; the last line takes that of the one before. */
  lineEndAt(offset: number): '\r\n' | '\n' {
    const known = this.#lineEnd;
    if (known !== undefined && known.from <= offset && offset <= known.to) return known.value;
    const next = this.source.indexOf('\n', offset);
    const feed = next === -1 ? this.source.lastIndexOf('\n', offset) : next;
    const value = feed > 0 && this.source[feed - 1] === '\r' ? '\r\n' : '\n';
    this.#lineEnd = { from: offset, to: next === -1 ? Infinity : next, value };
    return value;
  }
}
