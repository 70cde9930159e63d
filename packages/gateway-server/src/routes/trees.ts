import { GatewayRequestInvalidError, type TreeEntry } from '@agent-workspace/core';
import {
  CONTENT_TYPES,
  contentSchemas,
  encodeFrameHeader,
  type Frame,
  MAX_JSON_BYTES,
  MAX_TREE_FRAME_BYTES,
  parseRequest,
  ROUTES,
} from '@agent-workspace/gateway-protocol';
import { beginCall, type GatewayApp } from '../http/gateway-context.ts';
import { jsonResponse } from '../http/json-response.ts';
import { wholeResponse } from '../http/live-body.ts';
import { readJson } from '../http/read-body.ts';
import { readFrames } from '../http/read-frames.ts';

function* encodeEntries(entries: readonly TreeEntry[]): Generator<Uint8Array> {
  for (const entry of entries) {
    if (entry.kind === 'file') {
      const { bytes, ...header } = entry;
      yield encodeFrameHeader(header, bytes.byteLength);
      yield bytes;
    } else {
      yield encodeFrameHeader({ ...entry }, 0);
    }
  }
  yield encodeFrameHeader({ kind: 'end' }, 0);
}

/** The entries that follow the first frame. Ends with an error where the sender stopped in the middle. */
async function* decodeEntries(frames: AsyncIterator<Frame>): AsyncGenerator<TreeEntry, void> {
  for (;;) {
    const next = await frames.next();
    if (next.done === true) {
      throw new GatewayRequestInvalidError({
        operation: 'writing a tree',
        reason: 'its entries do not come to an end',
      });
    }
    const entry = parseRequest(contentSchemas().treeEntry, next.value.header, 'writing a tree');
    if (entry.kind === 'end') return;
    yield entry.kind === 'file' ? { ...entry, bytes: next.value.bytes } : entry;
  }
}

/** Reading and writing directories with all that is in them. */
export function addTreeRoutes(app: GatewayApp): void {
  app.post(ROUTES.readTree, async (context) => {
    using call = beginCall(context);
    const body = await readJson(context, MAX_JSON_BYTES);
    const { directory, ...options } = parseRequest(contentSchemas().readTree, body, 'reading a tree');
    const entries = await context.var.host.backend.readTree(directory, { ...options, signal: call.signal });
    return wholeResponse([...encodeEntries(entries)], CONTENT_TYPES.frames);
  });

  app.post(ROUTES.writeTree, async (context) => {
    using call = beginCall(context);
    const frames = readFrames(context, { maxFrameBytes: MAX_TREE_FRAME_BYTES });
    const first = await frames.next();
    const header = first.done === true ? undefined : first.value.header;
    const { directory, ...options } = parseRequest(contentSchemas().writeTree, header, 'writing a tree');
    await context.var.host.backend.writeTree(directory, decodeEntries(frames), { ...options, signal: call.signal });
    return jsonResponse({});
  });
}
