import { GatewayAnswerInvalidError, GatewayTimeoutError, OperationAbortedError } from '@agent-workspace/core';
import { PendingBytes } from '@agent-workspace/gateway-protocol';
import type { Dispatcher } from 'undici';
import { MAX_TIMER_MS } from './deadlines.ts';
import type { GatewayAnswer, WholeRequest } from './request.ts';
import { translateFailure } from './translate-failure.ts';

/** Looks after a gateway that takes its time, and rejects if it is not there any more. */
export interface Watch {
  /** Milliseconds without an answer until it looks, and until it looks again. */
  readonly everyMs: number;
  readonly look: () => Promise<void>;
}

/**
 * Sends a request and takes the whole answer, within a time and a size. Whatever ends it early drops
 * the connection.
 *
 * @throws `gateway-unreachable`, `gateway-connection-lost`, `gateway-timeout`, `gateway-answer-invalid`,
 * `operation-aborted`
 */
export function exchange(
  dispatcher: Dispatcher,
  request: WholeRequest,
  options: Pick<Dispatcher.DispatchOptions, 'origin' | 'headers'>,
  watch?: Watch,
): Promise<GatewayAnswer> {
  const { operation, timeoutMs, maxBytes, signal, body } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let status = 0;
    let contentType = '';
    const received = new PendingBytes();

    const finish = (): boolean => {
      if (isOver) return false;
      isOver = true;
      clearTimeout(timer);
      clearInterval(looking);
      signal?.removeEventListener('abort', onAbort);
      return true;
    };
    const fail = (error: Error): void => {
      if (!finish()) return;
      reject(error);
      controller?.abort(error);
    };
    const onAbort = (): void => fail(new OperationAbortedError({ operation }, { cause: signal?.reason }));
    const timer = setTimeout(
      () => fail(new GatewayTimeoutError({ operation, timeoutMs })),
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
    const looking = watch && setInterval(() => void watch.look().catch(fail), watch.everyMs);
    if (signal?.aborted === true) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });

    dispatcher.dispatch(
      {
        ...options,
        path: request.path,
        method: request.method,
        body: (body ?? null) as Dispatcher.DispatchOptions['body'] & null,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (isOver) started.abort(new Error('The request is not wanted any more.'));
        },
        onResponseStart(_controller, statusCode, headers) {
          status = statusCode;
          const value = headers['content-type'];
          contentType = typeof value === 'string' ? value : '';
        },
        onResponseData(_controller, chunk) {
          if (received.length + chunk.byteLength <= maxBytes) received.push(chunk);
          else fail(new GatewayAnswerInvalidError({ operation, reason: `it has more than ${maxBytes} bytes` }));
        },
        onResponseEnd() {
          if (finish()) resolve({ status, contentType, bytes: received.take(received.length) });
        },
        onResponseError(_controller, error) {
          fail(translateFailure(error, request, timeoutMs));
        },
      },
    );
  });
}
