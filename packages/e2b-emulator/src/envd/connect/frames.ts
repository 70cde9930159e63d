import { ConnectError } from './connect-error.ts';
import { gunzip, gzip } from './compression.ts';

/** Flags and a length of four bytes, big-endian. */
const HEAD_BYTES = 5;
const COMPRESSED = 0b01;
const END_OF_STREAM = 0b10;

export interface FrameOptions {
  /** Whether it is the last one, with the outcome of the stream. */
  readonly isEnd?: boolean | undefined;
  readonly isCompressed?: boolean | undefined;
}

/** One message of a stream, as JSON. */
export async function encodeFrame(message: object, options: FrameOptions = {}): Promise<Buffer> {
  const { isEnd = false, isCompressed = false } = options;
  const json = Buffer.from(JSON.stringify(message));
  const payload = isCompressed ? await gzip(json) : json;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8((isCompressed ? COMPRESSED : 0) | (isEnd ? END_OF_STREAM : 0), 0);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** @throws ConnectError `invalid_argument` */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) {
    throw new ConnectError('invalid_argument', 'unmarshal message: zero-length payload is not a valid JSON object');
  }
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown;
  } catch (error) {
    throw new ConnectError('invalid_argument', `unmarshal message: ${String(error)}`, { cause: error });
  }
}

/**
 * The messages of a request's stream, as they come.
 *
 * @throws ConnectError `invalid_argument` if the bytes are not frames of JSON.
 */
export async function* decodeFrames(body: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<unknown, void> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    while (bytes.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + bytes.readUInt32BE(1);
      if (bytes.length < end) break;
      const flags = bytes.readUInt8(0);
      const payload = bytes.subarray(HEAD_BYTES, end);
      bytes = bytes.subarray(end);
      if ((flags & ~COMPRESSED) !== 0) {
        throw new ConnectError('invalid_argument', `protocol error: invalid envelope flags ${flags}`);
      }
      yield parseJson(flags === COMPRESSED ? await gunzip(payload) : payload);
    }
  }
  if (bytes.length > 0) {
    throw new ConnectError('invalid_argument', 'protocol error: incomplete envelope: unexpected EOF');
  }
}
