/** An entry under its number, which counts from 1. */
export interface Numbered<T> {
  readonly id: number;
  readonly item: T;
}

/** What a reader gets: an entry, or how many are gone that it has not seen. */
export type Read<T> = Numbered<T> | { readonly missed: number };

/**
 * Entries that many readers follow, each at its own pace. A reader holds a number and no buffer, so
 * that a slow one costs nothing: what it is too late for is gone, and it is told so.
 */
export class EventLog<T> {
  readonly #capacity: number;
  #entries: T[] = [];
  /** The number of the first entry that is kept. */
  #first = 1;
  #isClosed = false;
  readonly #waiting = new Set<() => void>();

  /** @param capacity entries that are kept. Default: all. */
  constructor({ capacity = Infinity }: { readonly capacity?: number | undefined } = {}) {
    this.#capacity = capacity;
  }

  get lastId(): number {
    return this.#first + this.#entries.length - 1;
  }

  get entries(): readonly T[] {
    return this.#entries;
  }

  append(item: T): void {
    if (this.#isClosed) return;
    this.#entries.push(item);
    // Twice the capacity before it is cut, so that not every entry moves all others.
    if (this.#entries.length >= 2 * this.#capacity) {
      this.#first += this.#entries.length - this.#capacity;
      this.#entries = this.#entries.slice(-this.#capacity);
    }
    this.#wake();
  }

  /** Lets readers come to the end of it. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /**
   * What comes after an entry: what is there, then what is appended, until it is closed.
   *
   * @param after a number that was never given is taken for one of another life of this log, and ignored
   */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<Read<T>, void> {
    let resume = (): void => {};
    const onAbort = (): void => resume();
    signal.addEventListener('abort', onAbort);
    let next = after > this.lastId ? 1 : after + 1;
    try {
      while (!signal.aborted) {
        if (next < this.#first) {
          yield { missed: this.#first - next };
          next = this.#first;
        }
        const item = this.#entries[next - this.#first];
        if (item !== undefined) {
          yield { id: next, item };
          next += 1;
        } else if (this.#isClosed) {
          return;
        } else {
          // Nothing of a wait outlives it: a reader may wait for days.
          await new Promise<void>((resolve) => {
            resume = resolve;
            this.#waiting.add(resolve);
          });
          this.#waiting.delete(resume);
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #wake(): void {
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }
}
