import { readFully } from '../descriptor.ts';
import type { Pacer } from '../pacer.ts';

const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

export interface ScannedRecord {
  readonly offset: number;
  readonly line: string;
}

/** The lines of a file between two offsets, the last one also without a line feed. Blank ones are left out. */
export async function* scanRecords(
  descriptor: number,
  range: { readonly from: number; readonly to: number },
  pacer: Pacer,
): AsyncIterable<ScannedRecord> {
  let pending: Buffer[] = [];
  let lineOffset = range.from;
  let position = range.from;
  while (position < range.to) {
    const chunk = await readFully(descriptor, Math.min(CHUNK_BYTES, range.to - position), position);
    if (chunk.byteLength === 0) break;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const line = toLine(pending, chunk.subarray(start, end));
      if (line !== '') yield { offset: lineOffset, line };
      pending = [];
      start = end + 1;
      lineOffset = position + start;
      if (pacer.isDue) await pacer.pause();
    }
    if (start < chunk.byteLength) pending.push(chunk.subarray(start));
    position += chunk.byteLength;
  }
  if (pending.length > 0) yield { offset: lineOffset, line: toLine(pending, Buffer.alloc(0)) };
}

function toLine(pending: readonly Buffer[], last: Buffer): string {
  return (pending.length === 0 ? last : Buffer.concat([...pending, last])).toString('utf8');
}

/** The line that starts at `offset`, without its line feed. */
export async function readRecord(descriptor: number, offset: number): Promise<string> {
  for (let length = 4096; ; length *= 4) {
    const bytes = await readFully(descriptor, length, offset);
    const end = bytes.indexOf(LINE_FEED);
    if (end !== -1 || bytes.byteLength < length) return bytes.toString('utf8', 0, end === -1 ? bytes.byteLength : end);
  }
}
