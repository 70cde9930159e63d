import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { afterMs } from '../after-ms.ts';
import { ConnectError } from './connect-error.ts';

/**
 * `Connect-Timeout-Ms`.
 *
 * @throws ConnectError `invalid_argument`
 */
export function readTimeoutMs(headers: IncomingHttpHeaders): number | undefined {
  const timeout = headers['connect-timeout-ms'];
  if (timeout === undefined || timeout === '') return undefined;
  if (typeof timeout === 'string' && /^\d{1,10}$/.test(timeout)) return Number(timeout);
  throw new ConnectError('invalid_argument', `protocol error: invalid Connect-Timeout-Ms "${String(timeout)}"`);
}

/** Until when a call is worth an answer. */
export class CallDeadline {
  readonly timeoutMs: number | undefined;
  readonly #controller = new AbortController();
  readonly #timer: Disposable | undefined;

  constructor(response: ServerResponse, timeoutMs: number | undefined) {
    this.timeoutMs = timeoutMs;
    response.once('close', () => this.#end(new ConnectError('canceled', 'context canceled')));
    if (timeoutMs === undefined) return;
    const elapsed = new ConnectError('deadline_exceeded', 'context deadline exceeded');
    this.#timer = afterMs(timeoutMs, () => this.#end(elapsed));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Waits for work, but no longer than the call is worth an answer.
   *
   * @throws ConnectError `deadline_exceeded`, or `canceled` if the client has gone.
   */
  async limit<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    signal.throwIfAborted();
    let stop = (): void => undefined;
    const end = new Promise<never>((_, reject) => {
      stop = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', stop);
    });
    try {
      return await Promise.race([work, end]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #end(reason: ConnectError): void {
    this.#timer?.[Symbol.dispose]();
    this.#controller.abort(reason);
  }
}
