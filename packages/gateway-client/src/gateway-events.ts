import { setTimeout as sleep } from 'node:timers/promises';
import {
  GatewayAnswerInvalidError,
  GatewayUnstableError,
  type Logger,
  silentLogger,
  WorkspaceLostError,
} from '@agent-workspace/core';
import { CONTENT_TYPES, eventSchema, type GatewayEvent, parseAnswer, ROUTES } from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from './gateway-client.ts';
import { readLines } from './http/read-lines.ts';

const MAX_EVENT_BYTES = 1024 * 1024;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/** Hears what a gateway tells. */
export interface GatewayListener {
  onEvent(event: GatewayEvent): void;
  /** The stream is open, perhaps for another time: events may have been missed. */
  onConnect(): void;
}

export interface GatewayEventsOptions {
  readonly client: GatewayClient;
  /** Silent by default. */
  readonly logger?: Logger | undefined;
}

/** The stream of events of a gateway, opened again whenever it breaks. */
export class GatewayEvents {
  readonly #client: GatewayClient;
  readonly #logger: Logger;
  readonly #listeners = new Set<GatewayListener>();
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  constructor({ client, logger = silentLogger }: GatewayEventsOptions) {
    this.#client = client;
    this.#logger = logger;
  }

  /** Begins to listen. Idempotent. */
  start(): void {
    this.#running ??= this.#run();
  }

  subscribe(listener: GatewayListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        await this.#listen(signal, () => (pauseMs = FIRST_PAUSE_MS));
      } catch (error) {
        if (signal.aborted) return;
        this.#logger.warn('The events of the gateway broke off.', { error });
        if (GatewayUnstableError.isInstance(error) || WorkspaceLostError.isInstance(error)) return;
      }
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    }
  }

  async #listen(signal: AbortSignal, onOpen: () => void): Promise<void> {
    const operation = 'events';
    const body = await this.#client.bytes({
      operation,
      method: 'GET',
      path: ROUTES.events,
      accept: CONTENT_TYPES.ndjson,
      signal,
      isRepeatable: true,
      isBackground: true,
    });
    const invalid = (reason: string): Error => new GatewayAnswerInvalidError({ operation, reason });
    let isFirst = true;
    for await (const line of readLines(body, { maxLineBytes: MAX_EVENT_BYTES, invalid })) {
      const event = parseAnswer(eventSchema(), line, operation);
      if (isFirst) {
        isFirst = false;
        onOpen();
        this.#tell((listener) => listener.onConnect());
      }
      if (event.type !== 'alive') this.#tell((listener) => listener.onEvent(event));
    }
  }

  #tell(call: (listener: GatewayListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener);
      } catch (error) {
        this.#logger.error('A listener of the gateway failed.', { error });
      }
    }
  }
}
