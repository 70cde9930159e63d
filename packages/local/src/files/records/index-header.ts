import { createHash } from 'node:crypto';
import { readFully } from '../descriptor.ts';
import { isPossibleCapacity, SLOT_BYTES } from './slot-table.ts';

export const HEADER_BYTES = 64;
const MAGIC = Buffer.from('AWRECS1\n', 'latin1');
const FINGERPRINT_BYTES = 16;
/** How much of the end of what is covered is looked at, to see that it is still that file. */
const FINGERPRINT_SPAN = 256;

export interface IndexHeader {
  /** Every record that begins below this offset of the file has a slot. */
  readonly coveredBytes: number;
  /** Slots taken. */
  readonly count: number;
  readonly capacity: number;
  readonly fingerprint: Buffer;
}

export function encodeHeader({ coveredBytes, count, capacity, fingerprint }: IndexHeader): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header, 0);
  header.writeBigUInt64LE(BigInt(coveredBytes), 8);
  header.writeBigUInt64LE(BigInt(count), 16);
  header.writeBigUInt64LE(BigInt(capacity), 24);
  fingerprint.copy(header, 32);
  return header;
}

/** `undefined` unless the header is whole and fits an index file of `indexBytes` bytes. */
export function decodeHeader(bytes: Buffer, indexBytes: number): IndexHeader | undefined {
  if (bytes.byteLength < HEADER_BYTES || !bytes.subarray(0, MAGIC.byteLength).equals(MAGIC)) return undefined;
  const coveredBytes = Number(bytes.readBigUInt64LE(8));
  const count = Number(bytes.readBigUInt64LE(16));
  const capacity = Number(bytes.readBigUInt64LE(24));
  // An agent can write here: no header makes us reserve memory that its file would not need.
  if (count > coveredBytes || !isPossibleCapacity(count, capacity)) return undefined;
  if (indexBytes !== HEADER_BYTES + capacity * SLOT_BYTES) return undefined;
  return { coveredBytes, count, capacity, fingerprint: bytes.subarray(32, 32 + FINGERPRINT_BYTES) };
}

/** Of the bytes right before `end`. */
export async function fingerprintBefore(descriptor: number, end: number): Promise<Buffer> {
  const length = Math.min(FINGERPRINT_SPAN, end);
  const bytes = await readFully(descriptor, length, end - length);
  return createHash('sha256').update(bytes).digest().subarray(0, FINGERPRINT_BYTES);
}
