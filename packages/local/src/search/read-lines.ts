const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const MESSAGE = /: (?:WARNING: stopped searching binary file|binary file matches).*byte around offset \d+\)$/;

/** A line of output of the form `path NUL line:column:text`, or `path NUL line-text` around a match. */
export interface OutputLine {
  readonly path: string;
  readonly line: number;
  /** Of the first match, in bytes from 0; `undefined` for a line around one. */
  readonly column: number | undefined;
  /** Where its text is, without the line end. Valid until the next chunk. */
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

/** Reads ripgrep's lines. A name may have anything in it but NUL, and a line may come in many chunks. */
export class LineReader {
  readonly #handlers: LineHandlers;
  #pending: Buffer[] = [];
  /** As it came, with messages before it. */
  #output: string | undefined;
  #path = '';
  #isWanted = false;

  constructor(handlers: LineHandlers) {
    this.#handlers = handlers;
  }

  read(chunk: Buffer): void {
    this.#pending.push(chunk);
    if (!chunk.includes(LINE_FEED)) return;
    const bytes = this.#pending.length === 1 ? chunk : Buffer.concat(this.#pending);
    const end = this.#readRecords(bytes);
    this.#pending = end < bytes.byteLength ? [bytes.subarray(end)] : [];
  }

  end(): void {
    this.#readMessages(Buffer.concat(this.#pending).toString('utf8'));
    this.#pending = [];
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
    const number = readNumber(bytes, start);
    const isMatch = bytes[number.end] === COLON;
    const column = isMatch ? readNumber(bytes, number.end + 1) : undefined;
    const textStart = (column ?? number).end + 1;
    const textEnd = end > textStart && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    this.#handlers.onLine({
      path: this.#path,
      line: number.value,
      column: column === undefined ? undefined : column.value - 1,
      bytes,
      start: textStart,
      end: textEnd,
    });
  }
}

function readNumber(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let end = start; ; end += 1) {
    const digit = (bytes[end] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return { value, end };
    value = value * 10 + digit;
  }
}
