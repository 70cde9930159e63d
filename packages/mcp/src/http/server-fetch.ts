import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type Dispatcher, fetch, type RequestInit as UndiciInit } from 'undici';
import { HttpStatusError } from './http-errors.ts';
import { MessageMeter } from './message-meter.ts';
import { StreamPacer } from './stream-pacer.ts';

const EVENT_STREAM = /^\s*text\/event-stream\s*(?:;|$)/i;
const ERROR_BODY_BYTES = 4096;

export interface ServerFetchOptions {
  readonly dispatcher: Dispatcher;
  /** Longest message: an event of a stream, or the whole of a body of another type. */
  readonly maxMessageBytes: number;
  readonly onOverlong: () => void;
  /** Answers come in the response to their request, not on a stream of their own. */
  readonly isAnsweredInResponse: boolean;
  /**
   * The response to the request with this progress token is over; it may have been answered or
   * not. The SDK takes up a stream again whose events have ids.
   */
  readonly onResponseOver: (progressToken: number, isResumable: boolean) => void;
  /** Somebody waits for the answer whose stream broke off after this event. */
  readonly isAwaited: (lastEventId: string) => boolean;
}

function progressTokenOf(body: unknown): number | undefined {
  if (typeof body !== 'string') return undefined;
  const { params } = JSON.parse(body) as { params?: { _meta?: { progressToken?: unknown } } };
  const { _meta: meta } = params ?? {};
  return typeof meta?.progressToken === 'number' ? meta.progressToken : undefined;
}

async function readStart(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (!body) return '';
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length >= ERROR_BODY_BYTES) break;
  }
  return new TextDecoder().decode(Buffer.concat(pieces).subarray(0, ERROR_BODY_BYTES));
}

interface Watch {
  readonly isEventStream: boolean;
  readonly onOver: (isResumable: boolean) => void;
}

/** Passes a body on, with a cap on its messages, and tells when it is over. */
function watchBody(
  body: ReadableStream<Uint8Array>,
  { maxMessageBytes, onOverlong }: ServerFetchOptions,
  { isEventStream, onOver }: Watch,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const meter = new MessageMeter({ isEventStream });
  let isResumable = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          onOver(isResumable);
          controller.close();
          return;
        }
        if (meter.push(value) > maxMessageBytes) {
          onOverlong();
          throw new Error('an answer is too long');
        }
        isResumable ||= /^id:/m.test(Buffer.from(value.subarray(0, 1024)).toString('latin1'));
        controller.enqueue(value);
      } catch (error) {
        onOver(isResumable);
        controller.error(error);
        await reader.cancel(error).catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * A `fetch` for the SDK's HTTP transports, which adds what they leave out: refusals with their
 * status and body, no limit of its own on how long an answer may take, a cap on messages, gaps
 * between requests for streams that do not last, and word of responses that end without an answer.
 */
export function createServerFetch(options: ServerFetchOptions): FetchLike {
  const pacer = new StreamPacer();
  return async (url, init) => {
    const target = new URL(url);
    const method = init?.method ?? 'GET';
    const isPost = method === 'POST';
    const lastEventId = method === 'GET' ? new Headers(init?.headers).get('last-event-id') : null;
    const isPaced = method === 'GET' && (lastEventId === null || !options.isAwaited(lastEventId));
    // An error would make the SDK set a timer for another attempt, although it has been closed; a 405 ends it.
    if (isPaced && !(await pacer.wait(init?.signal ?? undefined))) return new Response(null, { status: 405 });
    const request = { ...init, dispatcher: options.dispatcher } as unknown as UndiciInit;
    const response = (await fetch(target, request)) as unknown as Response;
    // A 405 is how a server has no stream of its own, which the SDK accepts in silence: not so for the rest of an answer.
    const isRefused = isPost ? response.status >= 400 : lastEventId !== null && response.status === 405;
    if (isRefused) throw new HttpStatusError(response, await readStart(response.body), target);
    if (!response.ok || !response.body) return response;
    // What was accepted alone may be answered on another stream.
    const hasAnswer = isPost && options.isAnsweredInResponse && response.status !== 202;
    const token = hasAnswer ? progressTokenOf(init?.body) : undefined;
    const ended = isPaced ? pacer.opened() : undefined;
    const body = watchBody(response.body, options, {
      // What answers a GET is read as events, whatever its type.
      isEventStream: !isPost || EVENT_STREAM.test(response.headers.get('content-type') ?? ''),
      onOver: (isResumable) => {
        ended?.();
        if (token !== undefined) options.onResponseOver(token, isResumable);
      },
    });
    const { status, statusText } = response;
    return new Response(body, { status, statusText, headers: [...response.headers] });
  };
}
