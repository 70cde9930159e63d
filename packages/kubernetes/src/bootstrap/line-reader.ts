import type { Readable } from 'node:stream';

/** What a command says, in UTF-8: some lines first, then the rest. */
export class LineReader {
  readonly #chunks: AsyncIterator<string>;
  #unread = '';

  constructor(stream: Readable) {
    stream.setEncoding('utf8');
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next line without its end; what there is where the command ends before. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#unread.indexOf('\n');
      if (end !== -1) return this.#take(end + 1).slice(0, end);
      if (!(await this.#readMore())) return this.#take(this.#unread.length);
    }
  }

  async rest(): Promise<string> {
    while (await this.#readMore());
    return this.#take(this.#unread.length);
  }

  #take(length: number): string {
    const taken = this.#unread.slice(0, length);
    this.#unread = this.#unread.slice(length);
    return taken;
  }

  async #readMore(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return false;
    this.#unread += value;
    return true;
  }
}
