import {
  GatewayAnswerInvalidError,
  GatewayConnectionLostError,
  GatewayTimeoutError,
  type MCPCallResult,
  OperationAbortedError,
} from '@agent-workspace/core';
import {
  type BatchedCall,
  type BatchLine,
  CONTENT_TYPES,
  MAX_JSON_BYTES,
  mcpSchemas,
  parseAnswer,
  reviveError,
  ROUTES,
  toWire,
} from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import { MAX_TIMER_MS } from '../http/deadlines.ts';
import { readLines } from '../http/read-lines.ts';

export const OPERATION = 'tools/call';

export interface BatchableCall {
  readonly call: Omit<BatchedCall, 'id'>;
  readonly signal: AbortSignal;
  /** Milliseconds for all of it. */
  readonly timeoutMs: number;
  readonly isRepeatable: boolean;
  /** Makes the call in a request of its own. */
  readonly alone: () => Promise<MCPCallResult>;
}

export interface WaitingCall extends BatchableCall {
  readonly resolve: (result: MCPCallResult | Promise<MCPCallResult>) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls that travel in one request. Each has its own time, its own end, and its own way out. */
export class CallBatch {
  readonly #client: GatewayClient;
  readonly #calls: readonly BatchedCall[];
  /** Those that are not over, by id, each with what lets go of it. */
  readonly #open = new Map<string, { readonly waiting: WaitingCall; readonly release: () => void }>();
  readonly #connection = new AbortController();

  constructor(client: GatewayClient, waiting: readonly WaitingCall[]) {
    this.#client = client;
    this.#calls = waiting.map((one) => {
      const id = client.newCallId();
      this.#watch(id, one);
      return { ...one.call, id };
    });
  }

  /** Settles when all of them are over. Never rejects: they do. */
  async run(): Promise<void> {
    try {
      const body = await this.#client.bytes({
        operation: OPERATION,
        path: ROUTES.calls,
        body: toWire({ calls: this.#calls }),
        contentType: CONTENT_TYPES.json,
        accept: CONTENT_TYPES.ndjson,
        signal: this.#connection.signal,
      });
      const invalid = (reason: string): Error => new GatewayAnswerInvalidError({ operation: OPERATION, reason });
      for await (const value of readLines(body, { maxLineBytes: MAX_JSON_BYTES, invalid })) {
        this.#apply(parseAnswer(mcpSchemas().batchLine, value, OPERATION));
      }
      if (this.#open.size === 0) return;
      throw new GatewayConnectionLostError({ operation: OPERATION, reason: 'the answer ended without a result' });
    } catch (error) {
      this.#fail(error);
    }
  }

  #watch(id: string, waiting: WaitingCall): void {
    const { signal, timeoutMs } = waiting;
    const onAbort = (): void =>
      this.#giveUp(id, new OperationAbortedError({ operation: OPERATION }, { cause: signal.reason }));
    const onTimeout = (): void => this.#giveUp(id, new GatewayTimeoutError({ operation: OPERATION, timeoutMs }));
    const timer = setTimeout(onTimeout, Math.min(timeoutMs, MAX_TIMER_MS));
    const release = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    this.#open.set(id, { waiting, release });
    signal.addEventListener('abort', onAbort, { once: true });
  }

  #take(id: string): WaitingCall | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.release();
    return open?.waiting;
  }

  #apply(line: BatchLine): void {
    if (line.type === 'alive') return;
    // One that was given up may yet be answered.
    const waiting = this.#take(line.id);
    if (line.type === 'result') waiting?.resolve(line.result);
    else waiting?.reject(reviveError(line.problem));
  }

  #giveUp(id: string, error: Error): void {
    this.#take(id)?.reject(error);
    if (this.#open.size === 0) this.#connection.abort(error);
    else void this.#client.cancelCall(id);
  }

  #fail(error: unknown): void {
    const isLost = GatewayConnectionLostError.isInstance(error);
    for (const id of this.#open.keys()) {
      const waiting = this.#take(id);
      if (isLost && waiting?.isRepeatable === true) waiting.resolve(waiting.alone());
      else waiting?.reject(error);
    }
  }
}
