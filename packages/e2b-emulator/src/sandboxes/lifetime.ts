/** The longest delay of a timer; longer ones are waited for in parts. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The time that a sandbox has: when it began, when it ends, and what happens then. */
export class Lifetime {
  #startedAt: number;
  #endAt: number;
  #timer: NodeJS.Timeout | undefined;
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#startedAt = Date.now();
    this.#endAt = this.#startedAt;
  }

  get startedAt(): Date {
    return new Date(this.#startedAt);
  }

  get endAt(): Date {
    return new Date(this.#endAt);
  }

  /** Begins anew. */
  start(durationMs: number): void {
    this.#startedAt = Date.now();
    this.setRemaining(durationMs);
  }

  /** From now; nothing or less ends it at once. */
  setRemaining(durationMs: number): void {
    this.#endAt = Date.now() + Math.max(0, durationMs);
    this.#arm();
  }

  /** As {@link setRemaining}, where that is later. */
  extend(durationMs: number): void {
    if (Date.now() + durationMs > this.#endAt) this.setRemaining(durationMs);
  }

  /** Lets the time stand still, for good or until {@link start}. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const remainingMs = this.#endAt - Date.now();
    this.#timer = setTimeout(
      () => {
        if (Date.now() >= this.#endAt) this.#onEnd();
        else this.#arm();
      },
      Math.max(0, Math.min(remainingMs, LONGEST_TIMER_MS)),
    ).unref();
  }
}
