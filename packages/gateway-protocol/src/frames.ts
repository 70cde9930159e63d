import { PendingBytes } from './pending-bytes.ts';
import { toWire } from './wire-schema.ts';

/** A longer header is refused. */
export const MAX_FRAME_HEADER_BYTES: number = 64 * 1024;

const DECODER = new TextDecoder('utf-8', { fatal: true });
const NOTHING = new Uint8Array(0);

/** A JSON header and raw bytes. */
export interface Frame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
}

export interface DecodeFramesOptions {
  /** A frame with more raw bytes is refused. */
  readonly maxFrameBytes: number;
  /** All frames together; no limit by default. */
  readonly maxTotalBytes?: number | undefined;
  /** Default {@link MAX_FRAME_HEADER_BYTES}. */
  readonly maxHeaderBytes?: number | undefined;
  /** Makes the error for what is no frame. */
  readonly invalid: (reason: string) => Error;
}

/**
 * One frame: the header and the number of raw bytes as JSON on one line,
 * `{"…":…,"bytes":N}\n`, then those bytes.
 */
export function encodeFrame(header: Readonly<Record<string, unknown>>, bytes: Uint8Array = NOTHING): Uint8Array {
  const line = encodeFrameHeader(header, bytes.byteLength);
  return bytes.byteLength === 0 ? line : Buffer.concat([line, bytes]);
}

/** A frame up to its raw bytes, for a sender that does not want to copy those. */
export function encodeFrameHeader(header: Readonly<Record<string, unknown>>, byteLength: number): Uint8Array {
  return Buffer.from(`${toWire({ ...header, bytes: byteLength })}\n`, 'utf8');
}

function parseHeader(line: Uint8Array, options: DecodeFramesOptions): { header: Frame['header']; size: number } {
  let header: unknown;
  try {
    header = JSON.parse(DECODER.decode(line));
  } catch {
    throw options.invalid('the header of a frame is not JSON');
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw options.invalid('the header of a frame is no object');
  }
  const { bytes: size, ...rest } = header as Record<string, unknown>;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw options.invalid('a frame does not say how many bytes it has');
  }
  if (size > options.maxFrameBytes) {
    throw options.invalid(`a frame has ${size} bytes, while at most ${options.maxFrameBytes} are taken`);
  }
  return { header: rest, size };
}

/**
 * The frames of a body, as they come. Stopping to iterate stops the reading.
 *
 * @throws what `invalid` makes: for rubbish, what is too large, and an end in the middle of a frame
 */
export async function* decodeFrames(
  body: AsyncIterable<Uint8Array>,
  options: DecodeFramesOptions,
): AsyncGenerator<Frame, void, undefined> {
  const maxHeaderBytes = options.maxHeaderBytes ?? MAX_FRAME_HEADER_BYTES;
  const maxTotalBytes = options.maxTotalBytes ?? Infinity;
  const pending = new PendingBytes();
  let total = 0;
  let current: { readonly header: Frame['header']; readonly size: number } | undefined;
  for await (const chunk of body) {
    total += chunk.byteLength;
    if (total > maxTotalBytes) throw options.invalid(`the frames have more than ${maxTotalBytes} bytes`);
    pending.push(chunk);
    for (;;) {
      if (current === undefined) {
        const length = pending.lineLength();
        if (length > maxHeaderBytes || (length < 0 && pending.length > maxHeaderBytes)) {
          throw options.invalid(`the header of a frame has more than ${maxHeaderBytes} bytes`);
        }
        if (length < 0) break;
        current = parseHeader(pending.take(length), options);
        pending.take(1);
      }
      if (pending.length < current.size) break;
      const { header, size } = current;
      current = undefined;
      yield { header, bytes: size === 0 ? NOTHING : pending.take(size) };
    }
  }
  if (current !== undefined || pending.length > 0) throw options.invalid('the frames end in the middle of one');
}
