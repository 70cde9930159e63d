import type { Logger } from '@agent-workspace/core';

export interface LifeOptions {
  /** Milliseconds that a renewal gives. */
  readonly timeoutMs: number;
  readonly isInUse: () => boolean;
  /** Gives the sandbox `timeoutMs` from now, and wakes it if it sleeps. Calls `grantedAt`. */
  readonly renew: () => Promise<void>;
  readonly logger: Logger;
}

/** Looks at the clock this many times in a life. */
const LOOKS = 60;
const MAX_LOOK_MS = 5_000;
/** As much of a life as a sandbox in use has left at least. */
const LEAST_LEFT = 0.75;

/**
 * The clock of a sandbox, as this host knows it: E2B's own may be later, never earlier. One timer
 * looks at it, and renews the sandbox if it is in use; reads and calls of their own renew nothing.
 */
export class Life {
  readonly #options: LifeOptions;
  readonly #lookMs: number;
  #endsAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#lookMs = Math.min(options.timeoutMs / LOOKS, MAX_LOOK_MS);
  }

  /** @param at milliseconds since the epoch at which a renewal was sent */
  grantedAt(at: number): void {
    this.#endsAt = Math.max(this.#endsAt, at + this.#options.timeoutMs);
  }

  /** It sleeps, or is about to. */
  get isOver(): boolean {
    return Date.now() >= this.#endsAt - 2 * this.#lookMs;
  }

  /** Begins to look at the clock. */
  start(): void {
    this.#timer ??= setInterval(() => this.#look(), this.#lookMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#endsAt = 0;
  }

  /** Wakes it if it sleeps, or is about to. @throws what the renewal throws */
  async wake(): Promise<void> {
    if (this.isOver) await this.renew();
  }

  /** Renews it now; one at a time. */
  renew(): Promise<void> {
    this.#renewing ??= this.#options.renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  #look(): void {
    const { timeoutMs, isInUse, logger } = this.#options;
    if (!isInUse() || this.#endsAt - Date.now() > timeoutMs * LEAST_LEFT) return;
    this.renew().catch((error: unknown) => logger.warn('Could not renew a sandbox that is in use.', { error }));
  }
}
