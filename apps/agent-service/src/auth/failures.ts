/** Wrong tokens from one address before it has to wait. */
const MOST_FAILURES = 20;
const WINDOW_MS = 60_000;
/** Addresses are remembered up to here; then those of the oldest window go. */
const MOST_ADDRESSES = 10_000;

interface Window {
  readonly since: number;
  count: number;
}

/** Counts wrong tokens by address, so that nobody tries many. */
export class Failures {
  readonly #windows = new Map<string, Window>();

  /** Milliseconds that an address has to wait; 0 if it may try. */
  waitMs(address: string): number {
    const window = this.#windows.get(address);
    if (window === undefined || window.count < MOST_FAILURES) return 0;
    return Math.max(0, window.since + WINDOW_MS - Date.now());
  }

  add(address: string): void {
    const now = Date.now();
    const window = this.#windows.get(address);
    if (window !== undefined && now - window.since < WINDOW_MS) {
      window.count += 1;
      return;
    }
    this.#windows.delete(address);
    this.#windows.set(address, { since: now, count: 1 });
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MOST_ADDRESSES && oldest !== undefined) this.#windows.delete(oldest);
  }
}
