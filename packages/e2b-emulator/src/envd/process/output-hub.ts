/** How many messages may wait for a listener before the process is. */
const MAX_WAITING = 64;

class Listener<T> {
  readonly waiting: T[] = [];
  isOver = false;
  wake: () => void = () => undefined;

  get isFull(): boolean {
    return this.waiting.length >= MAX_WAITING;
  }

  push(message: T): void {
    this.waiting.push(message);
    this.wake();
  }

  end(): void {
    this.isOver = true;
    this.wake();
  }
}

/**
 * Hands each message to everybody who listens at that moment, and to nobody else. The slowest listener
 * sets the pace for all.
 */
export class OutputHub<T> {
  readonly #listeners = new Set<Listener<T>>();
  #senders: (() => void)[] = [];
  #isClosed = false;

  /** @returns what to wait for before the next message, if somebody lags behind. */
  publish(message: T): Promise<void> | undefined {
    for (const listener of this.#listeners) listener.push(message);
    return this.#isFull() ? new Promise((resolve) => void this.#senders.push(resolve)) : undefined;
  }

  /** Ends all listeners once they have read what is there for them. */
  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
    this.#letSend();
  }

  /** Listens from now on, until the hub is closed or the signal is aborted. */
  listen(signal: AbortSignal): AsyncIterable<T> {
    const listener = new Listener<T>();
    const leave = (): void => {
      listener.end();
      this.#listeners.delete(listener);
      this.#letSend();
    };
    if (this.#isClosed || signal.aborted) {
      listener.end();
    } else {
      this.#listeners.add(listener);
      signal.addEventListener('abort', leave, { once: true });
    }
    return this.#read(listener, () => {
      signal.removeEventListener('abort', leave);
      leave();
    });
  }

  async *#read(listener: Listener<T>, leave: () => void): AsyncGenerator<T, void> {
    try {
      for (;;) {
        while (listener.waiting.length > 0) {
          const message = listener.waiting.shift() as T;
          this.#letSend();
          yield message;
        }
        if (listener.isOver) return;
        await new Promise<void>((resolve) => {
          listener.wake = resolve;
        });
      }
    } finally {
      leave();
    }
  }

  #isFull(): boolean {
    for (const listener of this.#listeners) if (listener.isFull) return true;
    return false;
  }

  #letSend(): void {
    if (this.#isFull()) return;
    for (const send of this.#senders.splice(0)) send();
  }
}
