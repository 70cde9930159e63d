import { GatewayRequestInvalidError, LimitExceededError } from '@agent-workspace/core';
import type { Context } from 'hono';

/** Up to here a body is read in one go, which is quicker than as a stream. */
const AT_ONCE_BYTES = 1024 * 1024;
const DECODER = new TextDecoder('utf-8', { fatal: true });

function tooLarge(context: Context, limit: number, actual?: number): LimitExceededError {
  const what = `The body of ${context.req.method} ${context.req.path}`;
  return new LimitExceededError({ what, limit, ...(actual !== undefined && { actual }) });
}

/** What the request says about its size; `undefined` for a chunked body. */
function declaredBytes(context: Context): number | undefined {
  const length = context.req.header('content-length');
  return length === undefined ? undefined : Number(length);
}

/** @throws `limit-exceeded` as soon as there is more, whatever the request had said about it */
async function* streamed(context: Context, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  const { body } = context.req.raw;
  if (body === null) return;
  let total = 0;
  for await (const chunk of body) {
    total += chunk.byteLength;
    if (total > maxBytes) throw tooLarge(context, maxBytes);
    yield chunk;
  }
}

/**
 * The body of a request as it comes, a small one in one piece.
 *
 * @throws `limit-exceeded` past `maxBytes`
 */
export async function* readChunks(context: Context, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  const declared = declaredBytes(context);
  if (declared !== undefined && declared > maxBytes) throw tooLarge(context, maxBytes, declared);
  if (declared === undefined || declared > AT_ONCE_BYTES) yield* streamed(context, maxBytes);
  else yield new Uint8Array(await context.req.raw.arrayBuffer());
}

/**
 * The body of a request as JSON.
 *
 * @throws `limit-exceeded`, `gateway-request-invalid`
 */
export async function readJson(context: Context, maxBytes: number): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(context, maxBytes)) chunks.push(chunk);
  const [first] = chunks;
  try {
    return JSON.parse(DECODER.decode(chunks.length === 1 ? first : Buffer.concat(chunks)));
  } catch (error) {
    const operation = `${context.req.method} ${context.req.path}`;
    throw new GatewayRequestInvalidError({ operation, reason: 'its body is not JSON' }, { cause: error });
  }
}
