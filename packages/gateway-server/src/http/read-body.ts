import { GatewayRequestInvalidError, LimitExceededError } from '@agent-workspace/core';
import { type GatewayRequest, operationOf } from './gateway-request.ts';

/** Up to here a body is read in one go, which is quicker than as a stream. */
const AT_ONCE_BYTES = 1024 * 1024;
const DECODER = new TextDecoder('utf-8', { fatal: true });

function tooLarge(request: GatewayRequest, limit: number, actual?: number): LimitExceededError {
  const what = `The body of ${operationOf(request)}`;
  return new LimitExceededError({ what, limit, ...(actual !== undefined && { actual }) });
}

/** What the request says about its size, if it does and the body may be read in one go. @throws `limit-exceeded` */
function isSmall(request: GatewayRequest, maxBytes: number): boolean {
  const length = request.header('content-length');
  // A chunked body.
  if (length === undefined) return false;
  const declared = Number(length);
  if (declared > maxBytes) throw tooLarge(request, maxBytes, declared);
  return declared <= AT_ONCE_BYTES;
}

/**
 * The body of a request as it comes, a small one in one piece.
 *
 * @throws `limit-exceeded` past `maxBytes`, whatever the request had said about it
 */
export async function* readChunks(
  request: GatewayRequest,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (isSmall(request, maxBytes)) {
    yield await request.whole();
    return;
  }
  let total = 0;
  for await (const chunk of request.chunks()) {
    total += chunk.byteLength;
    if (total > maxBytes) throw tooLarge(request, maxBytes);
    yield chunk;
  }
}

async function readWhole(request: GatewayRequest, maxBytes: number): Promise<Uint8Array> {
  if (isSmall(request, maxBytes)) return request.whole();
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(request, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * The body of a request as JSON.
 *
 * @throws `limit-exceeded`, `gateway-request-invalid`
 */
export async function readJson(request: GatewayRequest, maxBytes: number): Promise<unknown> {
  const bytes = await readWhole(request, maxBytes);
  try {
    return JSON.parse(DECODER.decode(bytes));
  } catch (error) {
    const operation = operationOf(request);
    throw new GatewayRequestInvalidError({ operation, reason: 'its body is not JSON' }, { cause: error });
  }
}
