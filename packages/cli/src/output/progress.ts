import type { Io } from '../io.ts';

const CLEAR_LINE = '\r\u001B[2K';
const MAX_LENGTH = 78;

/** Tells what is waited for: on a terminal in one line that changes, else a line for each step. */
export class Progress implements Disposable {
  readonly #io: Pick<Io, 'isTerminal' | 'say'>;
  #last = '';

  constructor(io: Pick<Io, 'isTerminal' | 'say'>) {
    this.#io = io;
  }

  readonly step = (text: string): void => {
    const line = text.trim();
    if (line === '' || line === this.#last) return;
    this.#last = line;
    this.#io.say(this.#io.isTerminal ? `${CLEAR_LINE}${line.slice(0, MAX_LENGTH)}` : `${line}\n`);
  };

  /** Takes the line away. */
  [Symbol.dispose](): void {
    if (this.#io.isTerminal && this.#last !== '') this.#io.say(CLEAR_LINE);
    this.#last = '';
  }
}
