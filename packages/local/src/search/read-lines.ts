import { LongLine } from './long-line.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const MESSAGE = /: (?:WARNING: stopped searching binary file|binary file matches).*byte around offset \d+\)$/;
/** A line is held as a whole up to here, and to as much more as is shown of it. */
const MAX_HELD_BYTES = 1024 * 1024;

/** A line of output of the form `path NUL line:column:text`, or `path NUL line-text` around a match. */
export interface OutputLine {
  readonly path: string;
  readonly line: number;
  /** Of the first match, in bytes from 0; `undefined` for a line around one. */
  readonly column: number | undefined;
  /**
   * Where its text is, without the line end. Valid until the next chunk. Of a line that is too long to be held it is a
   * part around the match, to which `column` is relative; the part is longer than what is shown of a line.
   */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export interface LineHandlers {
  /** Called when the lines of a file begin. Where it says `false` the file's lines are passed over. */
  readonly onFile: (path: string) => boolean;
  readonly onLine: (line: OutputLine) => void;
  /** What ripgrep says among its results about a binary file. */
  readonly onMessage: (message: string) => void;
}

/** The start of a line of output. */
interface LineHead {
  readonly line: number;
  readonly column: number | undefined;
  readonly textStart: number;
}

interface LongRecord {
  readonly head: LineHead;
  readonly text: LongLine;
}

/**
 * Reads ripgrep's lines. A name may have anything in it but NUL, and a line may come in many chunks, more than can be
 * held.
 */
export class LineReader {
  readonly #handlers: LineHandlers;
  readonly #maxShownBytes: number;
  readonly #maxHeldBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** A line that is too long to wait for its end among `#pending`. */
  #long: LongRecord | undefined;
  /** As it came, with messages before it. */
  #output: string | undefined;
  #path = '';
  #isWanted = false;

  /** @param options `maxShownBytes`: of a line, around its match. Default 0 */
  constructor(handlers: LineHandlers, { maxShownBytes = 0 }: { readonly maxShownBytes?: number } = {}) {
    this.#handlers = handlers;
    this.#maxShownBytes = maxShownBytes;
    this.#maxHeldBytes = MAX_HELD_BYTES + maxShownBytes;
  }

  read(chunk: Buffer): void {
    const bytes = this.#long === undefined ? chunk : this.#readLongLine(this.#long, chunk);
    if (bytes.byteLength === 0) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.byteLength;
    if (bytes.includes(LINE_FEED)) {
      const held = this.#takePending();
      this.#holdBack(held.subarray(this.#readRecords(held)));
    }
    if (this.#pendingBytes > this.#maxHeldBytes) this.#shorten(this.#takePending());
  }

  end(): void {
    this.#readMessages(this.#takePending().toString('utf8'));
    this.#long = undefined;
  }

  #takePending(): Buffer {
    const [first] = this.#pending;
    const bytes = first !== undefined && this.#pending.length === 1 ? first : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return bytes;
  }

  #holdBack(bytes: Buffer): void {
    if (bytes.byteLength === 0) return;
    this.#pending = [bytes];
    this.#pendingBytes = bytes.byteLength;
  }

  /** @param bytes the start of a record, with messages before it */
  #shorten(bytes: Buffer): void {
    const pathEnd = bytes.indexOf(0);
    if (pathEnd === -1) {
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      const rest = this.#readMessages(bytes.toString('utf8', 0, end));
      this.#holdBack(Buffer.concat([Buffer.from(rest), bytes.subarray(end)]));
    } else if (bytes.byteLength - pathEnd <= this.#maxHeldBytes) {
      this.#holdBack(bytes);
    } else {
      this.#enterFile(bytes.toString('utf8', 0, pathEnd));
      this.#long = this.#beginLongLine(bytes, pathEnd + 1);
    }
  }

  #beginLongLine(bytes: Buffer, start: number): LongRecord {
    const head = readHead(bytes, start);
    // What is shown has the match in it, or is the end of the line.
    const until = (head.column ?? 0) + this.#maxShownBytes + 1;
    const text = new LongLine({ until, keepBytes: 2 * this.#maxShownBytes + 2 });
    text.add(bytes.subarray(head.textStart));
    return { head, text };
  }

  /** @returns what comes after the line */
  #readLongLine({ head, text }: LongRecord, chunk: Buffer): Buffer {
    const feed = chunk.indexOf(LINE_FEED);
    text.add(feed === -1 ? chunk : chunk.subarray(0, feed));
    if (feed === -1) return chunk.subarray(chunk.byteLength);
    this.#long = undefined;
    const { bytes, offset, hasEnd } = text.end();
    const column = head.column === undefined ? undefined : head.column - offset;
    const end = hasEnd ? withoutReturn(bytes, 0, bytes.byteLength) : bytes.byteLength;
    if (this.#isWanted) this.#giveLine({ line: head.line, column, bytes, start: 0, end });
    return chunk.subarray(feed + 1);
  }

  /** @returns where the first record that is not complete begins */
  #readRecords(bytes: Buffer): number {
    let start = 0;
    for (;;) {
      const pathEnd = bytes.indexOf(0, start);
      if (pathEnd === -1) return start;
      const end = bytes.indexOf(LINE_FEED, pathEnd);
      if (end === -1) return start;
      this.#enterFile(bytes.toString('utf8', start, pathEnd));
      if (this.#isWanted) this.#readLine(bytes, pathEnd + 1, end);
      start = end + 1;
    }
  }

  #enterFile(output: string): void {
    if (output === this.#output) return;
    this.#output = output;
    this.#path = this.#readMessages(output);
    this.#isWanted = this.#handlers.onFile(this.#path);
  }

  /** @returns what comes after the messages at the head of `text` */
  #readMessages(text: string): string {
    if (!text.includes('\n')) return text;
    const lines = text.split('\n');
    let count = 0;
    while (MESSAGE.test(lines[count] ?? '')) count += 1;
    for (const message of lines.slice(0, count)) this.#handlers.onMessage(message.replace(/^\.\//, ''));
    return lines.slice(count).join('\n');
  }

  #readLine(bytes: Buffer, start: number, end: number): void {
    const { line, column, textStart } = readHead(bytes, start);
    this.#giveLine({ line, column, bytes, start: textStart, end: withoutReturn(bytes, textStart, end) });
  }

  #giveLine(line: Omit<OutputLine, 'path'>): void {
    this.#handlers.onLine({ path: this.#path, ...line });
  }
}

function readHead(bytes: Buffer, start: number): LineHead {
  const number = readNumber(bytes, start);
  const isMatch = bytes[number.end] === COLON;
  const column = isMatch ? readNumber(bytes, number.end + 1) : undefined;
  return {
    line: number.value,
    column: column === undefined ? undefined : column.value - 1,
    textStart: (column ?? number).end + 1,
  };
}

/** @returns where the text ends before a carriage return that is part of its line end */
function withoutReturn(bytes: Buffer, start: number, end: number): number {
  return end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
}

function readNumber(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let end = start; ; end += 1) {
    const digit = (bytes[end] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return { value, end };
    value = value * 10 + digit;
  }
}
