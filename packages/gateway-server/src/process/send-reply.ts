import type { ServerResponse } from 'node:http';
import type { Reply } from '../http/reply.ts';

/** Up to here the pieces of an answer are put together, so that one write sends it. */
const AT_ONCE_BYTES = 256 * 1024;

/** Answers a request of Node's server. Never rejects: what breaks off in the middle takes the connection along. */
export async function sendReply(response: ServerResponse, { status, headers, body }: Reply): Promise<void> {
  // The client has gone away.
  if (response.destroyed) {
    if (body instanceof ReadableStream) await body.cancel().catch(() => undefined);
    return;
  }
  if (body instanceof ReadableStream) {
    response.writeHead(status, headers);
    await sendStream(response, body);
    return;
  }
  const length = body.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  response.writeHead(status, { ...headers, 'content-length': length });
  const [first] = body;
  if (body.length === 1 || length <= AT_ONCE_BYTES) {
    response.end(body.length === 1 ? first : Buffer.concat(body, length));
    return;
  }
  for (const chunk of body) response.write(chunk);
  response.end();
}

/** Until more can be written, or nobody reads any more. */
async function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve).once('close', resolve);
  await promise;
  response.off('drain', resolve).off('close', resolve);
}

async function sendStream(response: ServerResponse, body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  // One that has ended already takes no notice.
  response.once('close', () => void reader.cancel().catch(() => undefined));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || response.destroyed) break;
      if (!response.write(value)) await drained(response);
    }
    response.end();
  } catch {
    // There is no other way left to say that it is not whole.
    response.destroy();
  }
}
