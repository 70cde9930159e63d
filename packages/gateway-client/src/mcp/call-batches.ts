import { setImmediate } from 'node:timers/promises';
import { type MCPCallResult, OperationAbortedError } from '@agent-workspace/core';
import { MAX_BATCHED_CALLS } from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import { type BatchableCall, CallBatch, OPERATION, type WaitingCall } from './call-batch.ts';

/** Whether a call is to be made: one whose caller has given up by now is not. */
function isWanted({ signal, reject }: WaitingCall): boolean {
  if (signal.aborted) reject(new OperationAbortedError({ operation: OPERATION }, { cause: signal.reason }));
  return !signal.aborted;
}

/**
 * Calls that are made in the same turn of the event loop travel in one request: for small calls the
 * requests are most of what they cost. One that is alone travels as it always did.
 */
export class CallBatches {
  readonly #client: GatewayClient;
  #waiting: WaitingCall[] = [];

  constructor(client: GatewayClient) {
    this.#client = client;
  }

  /** @throws what the call by itself does */
  call(call: BatchableCall): Promise<MCPCallResult> {
    const { promise, resolve, reject } = Promise.withResolvers<MCPCallResult>();
    this.#waiting.push({ ...call, resolve, reject });
    if (this.#waiting.length === 1) void setImmediate().then(() => this.#send());
    return promise;
  }

  #send(): void {
    const waiting = this.#waiting.filter(isWanted);
    this.#waiting = [];
    for (let start = 0; start < waiting.length; start += MAX_BATCHED_CALLS) {
      const [first, ...more] = waiting.slice(start, start + MAX_BATCHED_CALLS);
      if (first === undefined) return;
      if (more.length === 0) first.resolve(first.alone());
      else void new CallBatch(this.#client, [first, ...more]).run();
    }
  }
}
