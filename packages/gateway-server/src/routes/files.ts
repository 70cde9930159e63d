import { GatewayRequestInvalidError, type WriteFileResult } from '@agent-workspace/core';
import {
  CONTENT_TYPES,
  contentSchemas,
  encodeFrameHeader,
  type Frame,
  MAX_JSON_BYTES,
  MAX_REQUEST_FRAME_BYTES,
  parseRequest,
  ROUTES,
} from '@agent-workspace/gateway-protocol';
import { beginCall, type GatewayRequest } from '../http/gateway-request.ts';
import type { GatewayRoute } from '../http/gateway-routes.ts';
import { readJson } from '../http/read-body.ts';
import { readFrames } from '../http/read-frames.ts';
import { bytesReply, jsonReply, type Reply, streamReply } from '../http/reply.ts';

/** The bytes of the frames that follow the first. Ends with an error where the sender stopped in the middle. */
async function* moreContent(first: Uint8Array, frames: AsyncIterator<Frame>): AsyncGenerator<Uint8Array, void> {
  yield first;
  for (;;) {
    const next = await frames.next();
    if (next.done === true) {
      throw new GatewayRequestInvalidError({
        operation: 'writing a file',
        reason: 'its content does not come to an end',
      });
    }
    const { end } = parseRequest(contentSchemas().more, next.value.header, 'writing a file');
    if (next.value.bytes.byteLength > 0) yield next.value.bytes;
    if (end === true) return;
  }
}

async function writeContent(request: GatewayRequest, signal: AbortSignal): Promise<WriteFileResult> {
  const { backend } = request.host;
  const frames = readFrames(request, { maxFrameBytes: MAX_REQUEST_FRAME_BYTES });
  const first = await frames.next();
  const header = first.done === true ? undefined : first.value.header;
  const { path, end, ...options } = parseRequest(contentSchemas().write, header, 'writing a file');
  const bytes = first.done === true ? new Uint8Array() : first.value.bytes;
  if (end === true) return backend.writeFile(path, bytes, { ...options, signal });
  return backend.writeStream(path, moreContent(bytes, frames), { ...options, signal });
}

async function readFile(request: GatewayRequest): Promise<Reply> {
  using call = beginCall(request);
  const body = await readJson(request, MAX_JSON_BYTES);
  const { path, ...options } = parseRequest(contentSchemas().readFile, body, 'reading a file');
  const { bytes, stat } = await request.host.backend.readFile(path, { ...options, signal: call.signal });
  return bytesReply([encodeFrameHeader({ stat }, bytes.byteLength), bytes], CONTENT_TYPES.frames);
}

async function openRead(request: GatewayRequest): Promise<Reply> {
  const body = await readJson(request, MAX_JSON_BYTES);
  const { path, ...options } = parseRequest(contentSchemas().openRead, body, 'reading a file');
  // The connection's end cancels the stream.
  return streamReply(await request.host.backend.openRead(path, options), CONTENT_TYPES.bytes);
}

async function write(request: GatewayRequest): Promise<Reply> {
  using call = beginCall(request);
  return jsonReply(await writeContent(request, call.signal));
}

/** Reading and writing the content of files. */
export function fileRoutes(): readonly GatewayRoute[] {
  return [
    { method: 'POST', route: ROUTES.readFile, handle: readFile },
    { method: 'POST', route: ROUTES.openRead, handle: openRead },
    { method: 'POST', route: ROUTES.write, handle: write },
  ];
}
