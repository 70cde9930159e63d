import type { UIMessage, UIMessageChunk } from 'ai';
import { EventLog } from '../events/event-log.ts';
import type { SessionKey } from '../store/service-store.ts';

export type TurnOutcome = 'completed' | 'awaiting-approval' | 'stopped' | 'failed';

/** A model that hangs would keep its session and its workspace for ever. */
const LONGEST_TURN_MS = 30 * 60_000;

/** What goes on in a session, from a message to the end of the answer. It outlives the request that began it. */
export class Turn {
  readonly key: SessionKey;
  /** All of its chunks, for those who come or come back while it lasts. Closed when the turn is stored. */
  readonly log: EventLog<UIMessageChunk> = new EventLog();
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #stopReason: string | undefined;
  /** Where it takes place, once that is known. */
  workspaceId: string | undefined;
  /** The history that it goes on from, once that is known. */
  messages: readonly UIMessage[] = [];
  /** Settles when the turn is over and stored. Never rejects. */
  ended: Promise<void> = Promise.resolve();

  constructor(key: SessionKey) {
    this.key = key;
    this.#timer = setTimeout(() => this.stop('The turn took too long and was stopped.'), LONGEST_TURN_MS).unref();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why it was stopped, if it was: the results of its open calls say so. */
  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  /** @param error what is thrown where it is waited for */
  stop(reason: string, error: Error = new Error(reason)): void {
    this.#stopReason ??= reason;
    this.#abort.abort(error);
  }

  /** Lets its followers go. */
  close(): void {
    clearTimeout(this.#timer);
    this.log.close();
  }
}
