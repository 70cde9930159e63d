import { GatewayTimeoutError } from '@agent-workspace/core';
import { MAX_TIMER_MS } from './deadlines.ts';

export interface DeadlineOptions {
  /** What has to be over by then, as errors name it. */
  readonly operation: string;
  readonly timeoutMs: number;
}

/** The end of the time that something may take, from when it is made until it is disposed of. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(details: DeadlineOptions) {
    const expire = (): void => this.#controller.abort(new GatewayTimeoutError(details));
    this.#timer = setTimeout(expire, Math.min(details.timeoutMs, MAX_TIMER_MS));
  }

  /** Aborted when the time is over; its reason is the `gateway-timeout`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time begins anew. */
  restart(): void {
    this.#timer.refresh();
  }

  /** The same pieces; with each the time begins anew. */
  async *restartedBy<T>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const piece of pieces) {
      this.restart();
      yield piece;
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
