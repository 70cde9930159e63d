import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { readRest } from '../read-rest.ts';
import type { CallDeadline } from './call-deadline.ts';
import { acceptsGzip, isGzip } from './compression.ts';
import { ConnectError, toConnectError } from './connect-error.ts';
import { decodeFrames, encodeFrame } from './frames.ts';

export const STREAM_TYPE = 'application/connect+json';

/** Answers with an error as a stream has it: status 200, and the error in the last frame. */
export async function refuseStream(response: ServerResponse, error: unknown): Promise<void> {
  const end = await encodeFrame({ error: toConnectError(error).toJSON() }, { isEnd: true });
  response.writeHead(200, { 'content-type': STREAM_TYPE }).end(end);
}

/** The messages of a client stream. Whoever stops reading leaves the connection open for the answer. */
async function* readRequests(request: IncomingMessage): AsyncGenerator<unknown, void> {
  isGzip(request.headers, 'connect-content-encoding');
  yield* decodeFrames(request.iterator({ destroyOnReturn: false }));
}

/** The one message that a server stream begins with. */
async function readRequest(request: IncomingMessage): Promise<unknown> {
  const body = await buffer(request);
  isGzip(request.headers, 'connect-content-encoding');
  const messages: unknown[] = [];
  for await (const message of decodeFrames([body])) messages.push(message);
  if (messages.length === 1) return messages[0];
  throw new ConnectError('unimplemented', `unary request has ${messages.length === 0 ? 'zero' : 'multiple'} messages`);
}

export interface StreamCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly deadline: CallDeadline;
  /** The answer's messages. */
  readonly run: (message: unknown) => AsyncIterable<object>;
}

/** One message in, any number out, each in a frame. A client that reads slowly is waited for. */
export async function answerStream({ request, response, deadline, run }: StreamCall): Promise<void> {
  const isCompressed = acceptsGzip(request.headers['connect-accept-encoding']);
  let messages: AsyncIterator<object> | undefined;
  try {
    const message = await readRequest(request);
    response.setHeader('connect-accept-encoding', 'gzip');
    if (isCompressed) response.setHeader('connect-content-encoding', 'gzip');
    response.writeHead(200, { 'content-type': STREAM_TYPE });
    messages = run(message)[Symbol.asyncIterator]();
    for (;;) {
      const next = await deadline.limit(messages.next());
      if (next.done === true) break;
      if (response.write(await encodeFrame(next.value, { isCompressed }))) continue;
      await deadline.limit(once(response, 'drain'));
    }
    response.end(await encodeFrame({}, { isCompressed, isEnd: true }));
  } catch (error) {
    // It ends by itself, for it knows the signal. Nobody waits for it any more.
    void messages?.return?.()?.catch(() => undefined);
    if (response.headersSent) response.end(await encodeFrame({ error: toConnectError(error) }, { isEnd: true }));
    else await refuseStream(response, error);
  }
}

export interface ClientStreamCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly deadline: CallDeadline;
  readonly run: (messages: AsyncIterable<unknown>) => Promise<object>;
}

/** Any number of messages in, one out. */
export async function answerClientStream(call: ClientStreamCall): Promise<void> {
  const { response, deadline } = call;
  try {
    const message = await deadline.limit(call.run(readRequests(call.request)));
    response.writeHead(200, { 'content-type': STREAM_TYPE });
    response.write(await encodeFrame(message));
    response.end(await encodeFrame({}, { isEnd: true }));
  } catch (error) {
    await readRest(call.request);
    await refuseStream(response, error);
  }
}
