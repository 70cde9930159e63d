import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type Dispatcher, fetch, type RequestInit as UndiciInit } from 'undici';
import { HttpStatusError } from './http-errors.ts';

const LINE_FEED = 0x0a;
const ERROR_BODY_BYTES = 4096;

export interface ServerFetchOptions {
  readonly dispatcher: Dispatcher;
  /** Longest line of an answer: an event of a stream, or a JSON body. */
  readonly maxLineBytes: number;
  readonly onOverlong: () => void;
  /** Answers come in the response to their request, not on a stream of their own. */
  readonly isAnsweredInResponse: boolean;
  /**
   * The response to the request with this progress token is over; it may have been answered or
   * not. The SDK takes up a stream again whose events have ids.
   */
  readonly onResponseOver: (progressToken: number, isResumable: boolean) => void;
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

/** Passes a body on, with a cap on its lines, and tells when it is over. */
function watchBody(
  body: ReadableStream<Uint8Array>,
  { maxLineBytes, onOverlong }: ServerFetchOptions,
  onOver: (isResumable: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let lineBytes = 0;
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
        const lastEnd = value.lastIndexOf(LINE_FEED);
        lineBytes = lastEnd === -1 ? lineBytes + value.length : value.length - lastEnd - 1;
        if (lineBytes > maxLineBytes) {
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
 * status and body, no limit of its own on how long an answer may take, and word of responses that
 * end without one.
 */
export function createServerFetch(options: ServerFetchOptions): FetchLike {
  return async (url, init) => {
    const target = new URL(url);
    const request = { ...init, dispatcher: options.dispatcher } as unknown as UndiciInit;
    const response = (await fetch(target, request)) as unknown as Response;
    const isPost = init?.method === 'POST';
    if (isPost && response.status >= 400) throw new HttpStatusError(response, await readStart(response.body), target);
    if (response.status !== 200 || !response.body) return response;
    const token = isPost && options.isAnsweredInResponse ? progressTokenOf(init.body) : undefined;
    const body = watchBody(response.body, options, (isResumable) => {
      if (token !== undefined) options.onResponseOver(token, isResumable);
    });
    const { status, statusText } = response;
    return new Response(body, { status, statusText, headers: [...response.headers] });
  };
}
