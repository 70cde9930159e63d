import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { AppEnv } from './app-env.ts';
import { ServiceError } from './service-error.ts';

const MIB = 1024 ** 2;
export const MOST_JSON_BYTES: number = MIB;
/** Messages may bring files along, and `useChat` sends all of its messages. */
export const MOST_CHAT_BYTES: number = 32 * MIB;
export const MOST_SKILL_BYTES: number = 50 * MIB;
export const MOST_FILE_BYTES: number = 100 * MIB;

export function bodyTooLarge(maxBytes: number): ServiceError {
  const message = `The body is longer than ${maxBytes} bytes, the most that is taken here.`;
  return new ServiceError('body-too-large', message, { details: { maxBytes } });
}

/** For bodies that are read as a whole. */
export function limitBody(maxBytes: number): MiddlewareHandler<AppEnv> {
  return bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw bodyTooLarge(maxBytes);
    },
  });
}

/** For bodies that go on as they come: the stream breaks off where it is too long. */
export function limitStream(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        size += bytes.byteLength;
        if (size > maxBytes) controller.error(bodyTooLarge(maxBytes));
        else controller.enqueue(bytes);
      },
    }),
  );
}
