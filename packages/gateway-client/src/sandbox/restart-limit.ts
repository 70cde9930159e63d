import { GatewayUnstableError } from '@agent-workspace/core';

/** Starts within this time… */
const WINDOW_MS = 60_000;
/** …after which a gateway is given up. */
const MAX_RESTARTS = 5;

/** Tells a gateway that dies now and then from one that dies whenever it is started. */
export class RestartLimit {
  readonly #restarts: number[] = [];

  /** Counts a start. */
  add(): void {
    this.#restarts.push(performance.now());
  }

  /** What to give up with, if it has been started too often of late. */
  reached(): GatewayUnstableError | undefined {
    const earliest = performance.now() - WINDOW_MS;
    while ((this.#restarts[0] ?? earliest) < earliest) this.#restarts.shift();
    if (this.#restarts.length < MAX_RESTARTS) return undefined;
    return new GatewayUnstableError({ restarts: MAX_RESTARTS, withinMs: WINDOW_MS });
  }
}
