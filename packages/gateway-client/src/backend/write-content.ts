import type { TreeEntry, WriteFileOptions, WriteFileResult, WriteTreeOptions } from '@agent-workspace/core';
import {
  CONTENT_TYPES,
  encodeFrame,
  fileSchemas,
  ROUTES,
  STREAM_FRAME_BYTES,
  type WireSchema,
} from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import { ANYTHING } from '../http/anything.ts';

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

interface Upload<T> {
  readonly operation: string;
  readonly path: string;
  readonly schema: WireSchema<T>;
  readonly signal: AbortSignal | undefined;
  readonly frames: Chunks;
}

/**
 * Sends frames. What their source throws is thrown, when the gateway has taken back what it had begun:
 * it does so with a body that ends before its end.
 */
async function upload<T>(client: GatewayClient, { frames, ...request }: Upload<T>): Promise<T> {
  let failure: { readonly error: unknown } | undefined;
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* frames;
    } catch (error) {
      failure = { error };
    }
  }
  let answer: T;
  try {
    answer = await client.upload({ ...request, pieces: watched(), contentType: CONTENT_TYPES.frames });
  } catch (error) {
    throw failure === undefined ? error : failure.error;
  }
  if (failure !== undefined) throw failure.error;
  return answer;
}

/** @see Backend.writeFile */
export function writeFile(
  client: GatewayClient,
  path: string,
  bytes: Uint8Array,
  options: WriteFileOptions,
): Promise<WriteFileResult> {
  if (bytes.byteLength > STREAM_FRAME_BYTES) return writeStream(client, path, [bytes], options);
  const { signal, ...rest } = options;
  return client.json({
    operation: 'writeFile',
    method: 'POST',
    path: ROUTES.write,
    content: { bytes: encodeFrame({ path, ...rest, end: true }, bytes), contentType: CONTENT_TYPES.frames },
    schema: fileSchemas().writeResult,
    signal,
  });
}

async function* contentFrames(header: Readonly<Record<string, unknown>>, content: Chunks): AsyncGenerator<Uint8Array> {
  yield encodeFrame(header);
  for await (const chunk of content) {
    for (let offset = 0; offset < chunk.byteLength; offset += STREAM_FRAME_BYTES) {
      yield encodeFrame({}, chunk.subarray(offset, offset + STREAM_FRAME_BYTES));
    }
  }
  yield encodeFrame({ end: true });
}

/** @see Backend.writeStream */
export function writeStream(
  client: GatewayClient,
  path: string,
  content: Chunks,
  { signal, ...options }: WriteFileOptions,
): Promise<WriteFileResult> {
  return upload(client, {
    operation: 'writeStream',
    path: ROUTES.write,
    schema: fileSchemas().writeResult,
    signal,
    frames: contentFrames({ path, ...options }, content),
  });
}

async function* treeFrames(
  header: Readonly<Record<string, unknown>>,
  entries: Iterable<TreeEntry> | AsyncIterable<TreeEntry>,
): AsyncGenerator<Uint8Array> {
  yield encodeFrame(header);
  for await (const entry of entries) {
    if (entry.kind === 'file') {
      const { kind, path, mode, bytes } = entry;
      yield encodeFrame({ kind, path, mode }, bytes);
    } else {
      yield encodeFrame({ ...entry });
    }
  }
  yield encodeFrame({ kind: 'end' });
}

/** @see Backend.writeTree */
export async function writeTree(
  client: GatewayClient,
  directory: string,
  entries: Iterable<TreeEntry> | AsyncIterable<TreeEntry>,
  { signal, ...options }: WriteTreeOptions,
): Promise<void> {
  await upload(client, {
    operation: 'writeTree',
    path: ROUTES.writeTree,
    schema: ANYTHING,
    signal,
    frames: treeFrames({ directory, ...options }, entries),
  });
}
