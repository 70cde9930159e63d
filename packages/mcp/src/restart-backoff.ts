const FIRST_GAP_MS = 500;
const LONGEST_GAP_MS = 30_000;

export interface RestartBackoffOptions {
  /** Milliseconds after the first failure. Default 500. */
  readonly firstGapMs?: number | undefined;
  /** Milliseconds that no setting of the clock changes. Default: those since the process started. */
  readonly now?: (() => number) | undefined;
}

/**
 * How long to leave a server alone that fails again and again: 0.5 s after the first failure,
 * then twice as long each time, at most 30 s. So one that exits at once is started five times in
 * the first ten seconds.
 */
export class RestartBackoff {
  readonly #firstGapMs: number;
  readonly #now: () => number;
  #failures = 0;
  /** By `now`, and not by the clock: one that is set back would make the gap longer by as much. */
  #over = 0;

  constructor(options: RestartBackoffOptions = {}) {
    this.#firstGapMs = options.firstGapMs ?? FIRST_GAP_MS;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds since the epoch, by the clock as it is set now; the present if nothing is to be waited for. */
  get retryAt(): number {
    return Date.now() + Math.ceil(this.remainingMs);
  }

  get remainingMs(): number {
    return Math.max(0, this.#over - this.#now());
  }

  recordFailure(): void {
    this.#failures += 1;
    this.#over = this.#now() + Math.min(this.#firstGapMs * 2 ** (this.#failures - 1), LONGEST_GAP_MS);
  }

  recordSuccess(): void {
    this.#failures = 0;
    this.#over = 0;
  }
}
