import { OperationAbortedError } from '@agent-workspace/core';
import type { Dispatcher } from 'undici';
import { ownChunks } from './own-chunks.ts';
import type { GatewayStream, StreamRequest } from './request.ts';
import { translateFailure } from './translate-failure.ts';

function failureOf(error: unknown, request: StreamRequest): Error {
  const { operation, silenceMs, signal, deadline } = request;
  if (signal?.aborted === true) return new OperationAbortedError({ operation }, { cause: signal.reason });
  return translateFailure(deadline?.signal.aborted === true ? deadline.signal.reason : error, request, silenceMs);
}

/** Aborted when the answer is not waited for any more. */
function endOf({ signal, deadline }: StreamRequest): AbortSignal | undefined {
  if (deadline === undefined) return signal;
  return signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
}

/** Asks after a gateway that falls silent; how long it may be that is not for this to decide. */
export interface Inquiry {
  /** Milliseconds of silence until it asks, and until it asks again. */
  readonly everyMs: number;
  /** Never rejects. */
  readonly ask: () => Promise<void>;
}

/** Asks while nothing is heard. */
class Attendance implements Disposable {
  readonly #timer: NodeJS.Timeout;

  constructor({ everyMs, ask }: Inquiry) {
    this.#timer = setInterval(() => void ask(), everyMs);
    this.#timer.unref();
  }

  heard(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

async function* read(
  body: AsyncIterable<unknown>,
  request: StreamRequest,
  inquiry: Inquiry,
): AsyncGenerator<Uint8Array> {
  using attendance = new Attendance(inquiry);
  try {
    for await (const chunk of body) {
      attendance.heard();
      yield chunk as Uint8Array;
    }
  } catch (error) {
    throw failureOf(error, request);
  }
}

/**
 * Sends a request and gives its answer as it comes. The host has nothing to send meanwhile, and a network
 * that has lost the way back to it finds that again by what the host sends: so a gateway that falls silent
 * is asked whether it is alive.
 *
 * @throws `gateway-unreachable`, `gateway-connection-lost`, `gateway-timeout`, `gateway-answer-invalid`,
 * `operation-aborted`
 */
export async function openStream(
  dispatcher: Dispatcher,
  request: StreamRequest,
  options: Pick<Dispatcher.DispatchOptions, 'origin' | 'headers'>,
  inquiry: Inquiry,
): Promise<GatewayStream> {
  const { silenceMs } = request;
  const end = endOf(request);
  using _attendance = new Attendance(inquiry);
  try {
    const { statusCode, headers, body } = await dispatcher.compose(ownChunks).request({
      ...options,
      path: request.path,
      method: request.method,
      body: (request.body ?? null) as Dispatcher.DispatchOptions['body'] & null,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      ...(end !== undefined && { signal: end }),
    });
    const contentType = headers['content-type'];
    return {
      status: statusCode,
      contentType: typeof contentType === 'string' ? contentType : '',
      body: read(body, request, inquiry),
    };
  } catch (error) {
    throw failureOf(error, request);
  }
}
