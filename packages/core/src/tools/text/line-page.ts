import { cutText, wholeEnd } from './code-points.ts';
import { decodeUtf8, splitMark } from './decode-text.ts';

const LINE_FEED = 0x0a;
/** The most bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;
/** Line number and tab in front of each line, and the line feed after it. */
const NUMBER_BYTES = 8;

export interface PageLine {
  /** From 1. */
  readonly number: number;
  /** Without its line end; the first characters of it where there is a `rest`. */
  readonly text: string;
  /** What was cut off. */
  readonly rest?: { readonly offset: number; readonly length: number } | undefined;
}

export interface LinePage {
  readonly lines: readonly PageLine[];
  /** The number of the first line after the page, where there is one. */
  readonly next?: number | undefined;
  /** Lines of the file, where the page goes to its end. */
  readonly total?: number | undefined;
}

export interface LinePageOptions {
  /** The file, for errors. */
  readonly path: string;
  /** Number of the first line, from 1. */
  readonly first: number;
  readonly maxLines: number;
  /** Bytes of shown text. One line always fits. */
  readonly maxBytes: number;
  /** Longer lines are cut to this many UTF-16 units. */
  readonly maxLineLength: number;
}

/**
 * Reads one page of lines out of a file of any size, holding no more than the page. It stops
 * reading once it knows whether there is more, or shows a NUL in a line that is cut: no text has one.
 *
 * @throws `encoding-unsupported` if a shown line is not UTF-8
 */
export async function readLinePage(source: AsyncIterable<Uint8Array>, options: LinePageOptions): Promise<LinePage> {
  const collector = new LineCollector(options);
  for await (const chunk of source) {
    if (collector.take(chunk)) return collector.page();
  }
  collector.finish();
  return collector.page();
}

class LineCollector {
  readonly #options: LinePageOptions;
  readonly #keepBytes: number;
  readonly #lines: PageLine[] = [];
  #shownBytes = 0;
  #number = 1;
  #lineStart = 0;
  #lineBytes = 0;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #next: number | undefined;
  #total: number | undefined;

  constructor(options: LinePageOptions) {
    this.#options = options;
    // One unit more than is shown tells whether the line has to be cut.
    this.#keepBytes = (options.maxLineLength + 1) * BYTES_PER_UNIT;
  }

  /** Returns `true` once nothing more has to be read. */
  take(chunk: Uint8Array): boolean {
    let at = 0;
    while (at < chunk.length) {
      if (this.#lines.length === this.#options.maxLines) {
        this.#next = this.#number;
        return true;
      }
      const feed = chunk.indexOf(LINE_FEED, at);
      const end = feed === -1 ? chunk.length : feed;
      const isNowCut = this.#keep(chunk.subarray(at, end));
      at = end + 1;
      if (feed !== -1) {
        if (!this.#endLine(true)) return true;
      } else if (isNowCut && this.#line(false).text.includes('\0')) {
        this.#endLine(false);
        return true;
      }
    }
    return false;
  }

  /** The source is at its end. */
  finish(): void {
    if (this.#lineBytes > 0 && !this.#endLine(false)) return;
    this.#total = this.#number - 1;
  }

  page(): LinePage {
    return { lines: this.#lines, next: this.#next, total: this.#total };
  }

  /** @returns whether the line, of those to show, has with this part become longer than what is kept of it */
  #keep(part: Uint8Array): boolean {
    const wasWhole = this.#lineBytes <= this.#keepBytes;
    this.#lineBytes += part.length;
    const room = this.#keepBytes - this.#keptBytes;
    if (this.#number < this.#options.first) return false;
    // A chunk may be reused by its source once the next one is asked for.
    if (room > 0 && part.length > 0) {
      const kept = Uint8Array.from(part.subarray(0, room));
      this.#kept.push(kept);
      this.#keptBytes += kept.length;
    }
    return wasWhole && this.#lineBytes > this.#keepBytes;
  }

  /** Returns `false` if the line did not fit on the page. */
  #endLine(hasFeed: boolean): boolean {
    if (this.#number >= this.#options.first) {
      const line = this.#line(hasFeed);
      const shownBytes = Buffer.byteLength(line.text) + NUMBER_BYTES;
      if (this.#lines.length > 0 && this.#shownBytes + shownBytes > this.#options.maxBytes) {
        this.#next = this.#number;
        return false;
      }
      this.#lines.push(line);
      this.#shownBytes += shownBytes;
    }
    this.#number += 1;
    this.#lineStart += this.#lineBytes + 1;
    this.#lineBytes = 0;
    this.#kept = [];
    this.#keptBytes = 0;
    return true;
  }

  #line(hasFeed: boolean): PageLine {
    const { path, maxLineLength } = this.#options;
    const bytes = Buffer.concat(this.#kept);
    const isWhole = bytes.length === this.#lineBytes;
    const decoded = decodeUtf8(isWhole ? bytes : bytes.subarray(0, wholeEnd(bytes)), { path, offset: this.#lineStart });
    const { mark, text } = this.#number === 1 ? splitMark(decoded) : { mark: '', text: decoded };
    const shown = isWhole && hasFeed && text.endsWith('\r') ? text.slice(0, -1) : text;
    const cut = cutText(shown, maxLineLength);
    if (isWhole && cut === shown) return { number: this.#number, text: shown };
    const shownBytes = Buffer.byteLength(mark) + Buffer.byteLength(cut);
    return {
      number: this.#number,
      text: cut,
      rest: { offset: this.#lineStart + shownBytes, length: this.#lineBytes - shownBytes },
    };
  }
}

/** A line as Read shows it: its number, right-aligned over six columns, a tab, its text. */
export function numberedLine(number: number, text: string): string {
  return `${String(number).padStart(6)}\t${text}`;
}
