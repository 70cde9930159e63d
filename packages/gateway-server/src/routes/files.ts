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
import { beginCall, type GatewayApp, type GatewayContext } from '../http/gateway-context.ts';
import { jsonResponse } from '../http/json-response.ts';
import { wholeResponse } from '../http/live-body.ts';
import { readJson } from '../http/read-body.ts';
import { readFrames } from '../http/read-frames.ts';

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

async function write(context: GatewayContext, signal: AbortSignal): Promise<WriteFileResult> {
  const { backend } = context.var.host;
  const frames = readFrames(context, { maxFrameBytes: MAX_REQUEST_FRAME_BYTES });
  const first = await frames.next();
  const header = first.done === true ? undefined : first.value.header;
  const { path, end, ...options } = parseRequest(contentSchemas().write, header, 'writing a file');
  const bytes = first.done === true ? new Uint8Array() : first.value.bytes;
  if (end === true) return backend.writeFile(path, bytes, { ...options, signal });
  return backend.writeStream(path, moreContent(bytes, frames), { ...options, signal });
}

/** Reading and writing the content of files. */
export function addFileRoutes(app: GatewayApp): void {
  app.post(ROUTES.readFile, async (context) => {
    using call = beginCall(context);
    const body = await readJson(context, MAX_JSON_BYTES);
    const { path, ...options } = parseRequest(contentSchemas().readFile, body, 'reading a file');
    const { bytes, stat } = await context.var.host.backend.readFile(path, { ...options, signal: call.signal });
    return wholeResponse([encodeFrameHeader({ stat }, bytes.byteLength), bytes], CONTENT_TYPES.frames);
  });

  app.post(ROUTES.openRead, async (context) => {
    const body = await readJson(context, MAX_JSON_BYTES);
    const { path, ...options } = parseRequest(contentSchemas().openRead, body, 'reading a file');
    // The connection's end cancels the stream.
    const content = await context.var.host.backend.openRead(path, options);
    return new Response(content, { headers: { 'content-type': CONTENT_TYPES.bytes } });
  });

  app.post(ROUTES.write, async (context) => {
    using call = beginCall(context);
    return jsonResponse(await write(context, call.signal));
  });
}
