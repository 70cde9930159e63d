import {
  type BackendProcess,
  GatewayResourceNotFoundError,
  type Logger,
  OperationAbortedError,
  type ProcessEnd,
  type ProcessSignal,
  type SpawnOptions,
} from '@agent-workspace/core';
import {
  CONTENT_TYPES,
  execSchemas,
  PROCESS_WINDOW_BYTES,
  routePath,
  ROUTES,
  type SpawnAnswer,
  type WireSchema,
} from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import { ANYTHING } from '../http/anything.ts';
import { waitMsWithin } from '../http/deadlines.ts';
import { readOutput } from './process-output.ts';

/** @see Backend.spawn */
export async function spawn(
  client: GatewayClient,
  argv: readonly string[],
  { signal, ...options }: SpawnOptions,
  logger: Logger,
): Promise<GatewayProcess> {
  if (signal?.aborted === true) {
    throw new OperationAbortedError({ operation: `The start of ${argv[0]}` }, { cause: signal.reason });
  }
  const started = await client.json({
    operation: 'spawn',
    method: 'POST',
    path: ROUTES.processes,
    body: { argv, ...options },
    schema: execSchemas().spawnAnswer,
  });
  return new GatewayProcess({ client, started, signal, logger });
}

export interface GatewayProcessOptions {
  readonly client: GatewayClient;
  readonly started: SpawnAnswer;
  readonly signal: AbortSignal | undefined;
  readonly logger: Logger;
}

/** A running command of a gateway, its output read by offset, so that no byte is lost or read twice. */
export class GatewayProcess implements BackendProcess {
  readonly pid: number;
  readonly processGroup: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly end: Promise<ProcessEnd>;
  readonly #client: GatewayClient;
  readonly #id: string;
  readonly #logger: Logger;
  readonly #disposal = new AbortController();
  readonly #settle: (end: ProcessEnd) => void;
  #disposing: Promise<void> | undefined;

  constructor({ client, started, signal, logger }: GatewayProcessOptions) {
    this.#client = client;
    this.#id = started.id;
    this.#logger = logger;
    this.pid = started.pid;
    this.processGroup = started.processGroup;
    this.stdin = this.#writable();
    const output = { client, id: started.id, logger, disposed: this.#disposal.signal };
    this.stdout = readOutput({ ...output, stream: 'stdout' });
    this.stderr = readOutput({ ...output, stream: 'stderr' });

    const { promise, resolve, reject } = Promise.withResolvers<ProcessEnd>();
    this.end = promise;
    this.#settle = resolve;
    const onAbort = (): void => void this.#abort();
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    this.#awaitEnd()
      .then((end) => end && resolve(end), reject)
      .finally(() => signal?.removeEventListener('abort', onAbort));
    // Not everyone who starts a command waits for its end.
    promise.catch(() => undefined);
  }

  async kill(signal: ProcessSignal = 'SIGTERM'): Promise<void> {
    try {
      await this.#ask('kill', 'POST', ROUTES.processSignal, ANYTHING, { signal });
    } catch (error) {
      // One that has ended and was let go of needs no signal.
      if (!GatewayResourceNotFoundError.isInstance(error)) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposing ??= this.#dispose();
    await this.#disposing;
  }

  async #dispose(): Promise<void> {
    try {
      const { end } = await this.#ask('the end of a process', 'DELETE', ROUTES.process, execSchemas().endAnswer);
      this.#settle(end ?? { kind: 'aborted' });
    } catch (error) {
      if (!GatewayResourceNotFoundError.isInstance(error)) throw error;
    } finally {
      this.#disposal.abort();
    }
  }

  /** Begins to end the tree. */
  async #abort(): Promise<void> {
    try {
      await this.#ask('an abort', 'POST', ROUTES.processAbort, ANYTHING, {});
    } catch (error) {
      this.#logger.warn('Could not abort a process.', { error, pid: this.pid });
    }
  }

  /** `undefined` when it is not wanted any more. */
  async #awaitEnd(): Promise<ProcessEnd | undefined> {
    const waitMs = waitMsWithin(this.#client.deadlines);
    for (;;) {
      try {
        const { end } = await this.#client.json({
          operation: 'the end of a process',
          method: 'POST',
          path: routePath(ROUTES.processEnd, { id: this.#id }),
          body: { waitMs },
          schema: execSchemas().endAnswer,
          signal: this.#disposal.signal,
          isRepeatable: true,
          lasts: true,
        });
        if (end !== undefined) return end;
      } catch (error) {
        if (this.#disposal.signal.aborted) return undefined;
        throw error;
      }
    }
  }

  #writable(): WritableStream<Uint8Array> {
    return new WritableStream<Uint8Array>({
      write: async (bytes) => {
        for (let offset = 0; offset < bytes.byteLength; offset += PROCESS_WINDOW_BYTES) {
          await this.#send(bytes.subarray(offset, offset + PROCESS_WINDOW_BYTES), false);
        }
      },
      close: () => this.#send(new Uint8Array(0), true),
      abort: () => this.#send(new Uint8Array(0), true),
    });
  }

  /** Settles when the command has room for more. */
  async #send(bytes: Uint8Array, isEnd: boolean): Promise<void> {
    let content = bytes;
    for (;;) {
      const { isBlocked } = await this.#client.json({
        operation: 'stdin',
        method: 'PUT',
        path: `${routePath(ROUTES.processStdin, { id: this.#id })}?end=${isEnd}`,
        content: { bytes: content, contentType: CONTENT_TYPES.bytes },
        schema: execSchemas().stdinAnswer,
        signal: this.#disposal.signal,
        lasts: true,
      });
      if (!isBlocked || isEnd) return;
      content = new Uint8Array(0);
    }
  }

  #ask<T>(
    operation: string,
    method: 'POST' | 'DELETE',
    route: string,
    schema: WireSchema<T>,
    body?: unknown,
  ): Promise<T> {
    const path = routePath(route, { id: this.#id });
    return this.#client.json({ operation, method, path, schema, ...(body !== undefined && { body }) });
  }
}
