/** A notification at most this often: a command prints faster than anyone reads. */
const MIN_INTERVAL_MS = 250;
/** Clients give up on a call that they hear nothing of; the quickest of them after some 10 s. */
const HEARTBEAT_MS = 5_000;
const MAX_MESSAGE_LENGTH = 200;

export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Tells a client how a call goes, as far as it asked to be told: what it prints, and that it is still there. */
export class CallProgress implements Disposable {
  readonly #send: ((update: ProgressUpdate) => void) | undefined;
  readonly #what: () => string;
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #progress: number | undefined;
  /** Where the numbers of a nested server begin, since ours may not go back. */
  #base: number | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  /**
   * @param send `undefined` where the client asked for nothing
   * @param what is going on, for the heartbeat, such as "Bash is running"
   */
  constructor(send: ((update: ProgressUpdate) => void) | undefined, what: () => string) {
    this.#send = send;
    this.#what = what;
    if (send === undefined) return;
    this.#timer = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#timer.unref();
  }

  /** Tells a line. Those that follow too closely are left out. */
  say(message: string): void {
    const now = performance.now();
    if (this.#send === undefined || message.trim() === '' || now - this.#lastAt < MIN_INTERVAL_MS) return;
    this.#tell({ progress: (this.#progress ?? 0) + 1, message: message.trim().slice(0, MAX_MESSAGE_LENGTH) });
  }

  /** Passes on what a nested server tells. */
  pass({ progress, total, message }: ProgressUpdate): void {
    this.#base ??= this.#progress ?? 0;
    const base = this.#base;
    if (this.#progress !== undefined && base + progress <= this.#progress) return;
    this.#tell({
      progress: base + progress,
      ...(total !== undefined && { total: base + total }),
      ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE_LENGTH) }),
    });
  }

  #beat(): void {
    if (performance.now() - this.#lastAt < HEARTBEAT_MS) return;
    const seconds = Math.round((performance.now() - this.#startedAt) / 1000);
    const last = this.#progress ?? 0;
    // A nested server counts by itself: a step of ours between two of its own is the least there is.
    const step = this.#base === undefined ? 1 : Number.EPSILON * Math.max(1, last);
    this.#tell({ progress: last + step, message: `${this.#what()} (${seconds} s)` });
  }

  #tell(update: ProgressUpdate): void {
    this.#lastAt = performance.now();
    this.#progress = update.progress;
    this.#send?.(update);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
