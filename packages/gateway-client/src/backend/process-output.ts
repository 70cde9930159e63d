import { GatewayAnswerInvalidError, type Logger } from '@agent-workspace/core';
import {
  CONTENT_TYPES,
  decodeFrames,
  execSchemas,
  type Frame,
  MAX_FRAME_HEADER_BYTES,
  parseAnswer,
  routePath,
  ROUTES,
} from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import { ANYTHING } from '../http/anything.ts';
import { waitMsWithin } from '../http/deadlines.ts';

/** Asked for at once: enough to be quick, and little enough to hold for a reader who is slow. */
const CHUNK_BYTES = 256 * 1024;
const OPERATION = 'the output of a process';

export interface ReadOutputOptions {
  readonly client: GatewayClient;
  /** Of the process. */
  readonly id: string;
  readonly stream: 'stdout' | 'stderr';
  readonly logger: Logger;
  /** Ends the stream. */
  readonly disposed: AbortSignal;
}

async function ask(options: ReadOutputOptions, offset: number, cancelled: AbortSignal): Promise<Frame> {
  const { client, id, stream } = options;
  const query = `stream=${stream}&offset=${offset}&maxBytes=${CHUNK_BYTES}&waitMs=${waitMsWithin(client.deadlines)}`;
  const { bytes } = await client.whole({
    operation: OPERATION,
    method: 'GET',
    path: `${routePath(ROUTES.processOutput, { id })}?${query}`,
    accept: CONTENT_TYPES.frames,
    timeoutMs: client.deadlines.answerMs,
    maxBytes: CHUNK_BYTES + MAX_FRAME_HEADER_BYTES,
    signal: cancelled,
    isRepeatable: true,
    lasts: true,
  });
  const invalid = (reason: string): Error => new GatewayAnswerInvalidError({ operation: OPERATION, reason });
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  for await (const frame of decodeFrames(body(), { maxFrameBytes: CHUNK_BYTES, invalid })) return frame;
  throw invalid('it has no frame');
}

/** One of a process's outputs. Only what is read is asked for, so that the command waits for its reader. */
export function readOutput(options: ReadOutputOptions): ReadableStream<Uint8Array> {
  const { client, id, stream, logger, disposed } = options;
  const cancellation = new AbortController();
  const cancelled = AbortSignal.any([cancellation.signal, disposed]);
  let offset = 0;
  let isOpen = true;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const onDispose = (): void => {
          if (isOpen) controller.close();
          isOpen = false;
        };
        disposed.addEventListener('abort', onDispose, { once: true });
      },
      async pull(controller) {
        try {
          while (isOpen) {
            const frame = await ask(options, offset, cancelled);
            const header = parseAnswer(execSchemas().outputHeader, frame.header, OPERATION);
            if (header.offset !== offset) {
              const reason = `it begins at ${header.offset} and not at ${offset}`;
              throw new GatewayAnswerInvalidError({ operation: OPERATION, reason });
            }
            offset += frame.bytes.byteLength;
            if (frame.bytes.byteLength > 0) controller.enqueue(frame.bytes);
            if (header.isEnd) {
              isOpen = false;
              controller.close();
            }
            if (frame.bytes.byteLength > 0) return;
          }
        } catch (error) {
          // Nobody waits for an answer of a process that was disposed of in the meantime.
          if (cancelled.aborted) return;
          isOpen = false;
          throw error;
        }
      },
      async cancel() {
        isOpen = false;
        cancellation.abort();
        try {
          await client.json({
            operation: OPERATION,
            method: 'DELETE',
            path: `${routePath(ROUTES.processOutput, { id })}?stream=${stream}`,
            schema: ANYTHING,
          });
        } catch (error) {
          logger.debug('Could not close the output of a process.', { error });
        }
      },
    },
    { highWaterMark: 0 },
  );
}
