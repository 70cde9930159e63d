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
import { beginCall, type GatewayRequest } from '../http/gateway-request.ts';
import type { GatewayRoute } from '../http/gateway-routes.ts';
import { readJson } from '../http/read-body.ts';
import { readFrames } from '../http/read-frames.ts';
import { bytesReply, jsonReply, type Reply } from '../http/reply.ts';

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

async function readTree(request: GatewayRequest): Promise<Reply> {
  using call = beginCall(request);
  const body = await readJson(request, MAX_JSON_BYTES);
  const { directory, ...options } = parseRequest(contentSchemas().readTree, body, 'reading a tree');
  const entries = await request.host.backend.readTree(directory, { ...options, signal: call.signal });
  return bytesReply([...encodeEntries(entries)], CONTENT_TYPES.frames);
}

async function writeTree(request: GatewayRequest): Promise<Reply> {
  using call = beginCall(request);
  const frames = readFrames(request, { maxFrameBytes: MAX_TREE_FRAME_BYTES });
  const first = await frames.next();
  const header = first.done === true ? undefined : first.value.header;
  const { directory, ...options } = parseRequest(contentSchemas().writeTree, header, 'writing a tree');
  await request.host.backend.writeTree(directory, decodeEntries(frames), { ...options, signal: call.signal });
  return jsonReply({});
}

/** Reading and writing directories with all that is in them. */
export function treeRoutes(): readonly GatewayRoute[] {
  return [
    { method: 'POST', route: ROUTES.readTree, handle: readTree },
    { method: 'POST', route: ROUTES.writeTree, handle: writeTree },
  ];
}
