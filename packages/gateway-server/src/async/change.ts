export interface UntilOptions {
  /** Milliseconds to wait at the most. No limit by default. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Lets any number of waiters look again whenever something has changed. */
export class Change {
  #waiters: (() => void)[] = [];

  notify(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  /** Settles when `condition` holds, the time is over or the signal is aborted, whatever comes first. */
  async until(condition: () => boolean, { waitMs, signal }: UntilOptions = {}): Promise<void> {
    let isOver = signal?.aborted === true || waitMs === 0;
    if (isOver || condition()) return;
    const giveUp = (): void => {
      isOver = true;
      this.notify();
    };
    const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      while (!isOver && !condition()) await new Promise<void>((resolve) => void this.#waiters.push(resolve));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    }
  }
}
