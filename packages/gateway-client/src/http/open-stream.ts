import { OperationAbortedError } from '@agent-workspace/core';
import type { Dispatcher } from 'undici';
import type { GatewayStream, StreamRequest } from './request.ts';
import { translateFailure } from './translate-failure.ts';

function failureOf(error: unknown, request: StreamRequest): Error {
  const { operation, silenceMs, signal } = request;
  return signal?.aborted === true
    ? new OperationAbortedError({ operation }, { cause: signal.reason })
    : translateFailure(error, request, silenceMs);
}

async function* read(body: AsyncIterable<unknown>, request: StreamRequest): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw failureOf(error, request);
  }
}

/**
 * Sends a request and gives its answer as it comes.
 *
 * @throws `gateway-unreachable`, `gateway-connection-lost`, `gateway-timeout`, `gateway-answer-invalid`,
 * `operation-aborted`
 */
export async function openStream(
  dispatcher: Dispatcher,
  request: StreamRequest,
  options: Pick<Dispatcher.DispatchOptions, 'origin' | 'headers'>,
): Promise<GatewayStream> {
  const { silenceMs, signal } = request;
  try {
    const { statusCode, headers, body } = await dispatcher.request({
      ...options,
      path: request.path,
      method: request.method,
      body: (request.body ?? null) as Dispatcher.DispatchOptions['body'] & null,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      ...(signal !== undefined && { signal }),
    });
    const contentType = headers['content-type'];
    return {
      status: statusCode,
      contentType: typeof contentType === 'string' ? contentType : '',
      body: read(body, request),
    };
  } catch (error) {
    throw failureOf(error, request);
  }
}
