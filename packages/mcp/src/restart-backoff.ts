const FIRST_GAP_MS = 500;
const LONGEST_GAP_MS = 30_000;

/**
 * How long to leave a server alone that fails again and again: 0.5 s after the first failure,
 * then twice as long each time, at most 30 s. So one that exits at once is started five times in
 * the first ten seconds.
 */
export class RestartBackoff {
  readonly #now: () => number;
  #failures = 0;
  #retryAt = 0;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds since the epoch; in the past if nothing is to be waited for. */
  get retryAt(): number {
    return this.#retryAt;
  }

  get remainingMs(): number {
    return Math.max(0, this.#retryAt - this.#now());
  }

  recordFailure(): void {
    this.#failures += 1;
    this.#retryAt = this.#now() + Math.min(FIRST_GAP_MS * 2 ** (this.#failures - 1), LONGEST_GAP_MS);
  }

  recordSuccess(): void {
    this.#failures = 0;
    this.#retryAt = 0;
  }
}
