import { GatewayAnswerInvalidError, type ReadFileResult, type TreeEntry } from '@agent-workspace/core';
import type { OpenReadOptions, ReadFileOptions, ReadTreeOptions } from '@agent-workspace/core';
import {
  contentSchemas,
  CONTENT_TYPES,
  decodeFrames,
  type Frame,
  MAX_FRAME_HEADER_BYTES,
  parseAnswer,
  ROUTES,
  toWire,
} from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import { Deadline } from '../http/deadline.ts';

const MIB = 1024 * 1024;
const DEFAULT_MAX_FILE_BYTES: number = 64 * MIB;
const DEFAULT_MAX_TREE_BYTES: number = 500 * MIB;
const DEFAULT_MAX_ENTRIES = 10_000;
/** A path, its stat and what a header is made of. */
const MAX_ENTRY_HEADER_BYTES = 8 * 1024;

/** @see Backend.readFile */
export async function readFile(
  client: GatewayClient,
  path: string,
  { signal, ...options }: ReadFileOptions,
): Promise<ReadFileResult> {
  const operation = 'readFile';
  const maxBytes = Math.min(options.maxBytes ?? DEFAULT_MAX_FILE_BYTES, options.length ?? Infinity);
  const invalid = (reason: string): Error => new GatewayAnswerInvalidError({ operation, reason });
  const answer = await client.whole({
    operation,
    method: 'POST',
    path: ROUTES.readFile,
    body: toWire({ path, ...options }),
    contentType: CONTENT_TYPES.json,
    accept: CONTENT_TYPES.frames,
    signal,
    timeoutMs: client.deadlines.longAnswerMs,
    maxBytes: maxBytes + MAX_FRAME_HEADER_BYTES,
    isRepeatable: true,
  });
  const [frame, more] = await Array.fromAsync(decodeFrames(once(answer.bytes), { maxFrameBytes: maxBytes, invalid }));
  if (frame === undefined || more !== undefined) throw invalid('a file comes in one frame');
  const { stat } = parseAnswer(contentSchemas().readFileHeader, frame.header, operation);
  return { bytes: frame.bytes, stat };
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** @see Backend.openRead */
export async function openRead(
  client: GatewayClient,
  path: string,
  { signal, ...options }: OpenReadOptions,
): Promise<ReadableStream<Uint8Array>> {
  const operation = 'openRead';
  const body = await client.bytes({
    operation,
    path: ROUTES.openRead,
    body: toWire({ path, ...options }),
    contentType: CONTENT_TYPES.json,
    accept: CONTENT_TYPES.bytes,
    signal,
    isRepeatable: true,
  });
  const iterator = body[Symbol.asyncIterator]();
  let left = options.length ?? Infinity;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) {
          controller.close();
          return;
        }
        left -= value.byteLength;
        if (left < 0) {
          await iterator.return?.();
          throw new GatewayAnswerInvalidError({ operation, reason: `it has more than ${options.length} bytes` });
        }
        controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

function toTreeEntry({ header, bytes }: Frame): TreeEntry | undefined {
  const entry = parseAnswer(contentSchemas().treeEntry, header, 'readTree');
  switch (entry.kind) {
    case 'end':
      return undefined;
    case 'file':
      return { ...entry, bytes };
    case 'directory':
    case 'link':
      return entry;
  }
}

/** @see Backend.readTree */
export async function readTree(
  client: GatewayClient,
  directory: string,
  { signal, ...options }: ReadTreeOptions,
): Promise<readonly TreeEntry[]> {
  const operation = 'readTree';
  const { maxEntries = DEFAULT_MAX_ENTRIES, maxTotalBytes = DEFAULT_MAX_TREE_BYTES } = options;
  using deadline = new Deadline({ operation, timeoutMs: client.deadlines.longAnswerMs });
  const frames = await client.frames({
    operation,
    path: ROUTES.readTree,
    body: toWire({ directory, ...options }),
    contentType: CONTENT_TYPES.json,
    signal,
    isRepeatable: true,
    maxFrameBytes: options.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES,
    maxTotalBytes: maxTotalBytes + (maxEntries + 1) * MAX_ENTRY_HEADER_BYTES,
    silenceMs: client.deadlines.answerMs,
    deadline,
  });
  const entries: TreeEntry[] = [];
  for await (const frame of frames) {
    const entry = toTreeEntry(frame);
    if (entry === undefined) return entries;
    entries.push(entry);
    if (entries.length > maxEntries) {
      throw new GatewayAnswerInvalidError({ operation, reason: `it has more than ${maxEntries} entries` });
    }
  }
  throw new GatewayAnswerInvalidError({ operation, reason: 'it ends before the tree does' });
}
