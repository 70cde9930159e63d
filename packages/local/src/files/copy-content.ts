import { readFully, writeFully } from './descriptor.ts';

const CHUNK_BYTES = 256 * 1024;

/** Bytes of a file; to its end by default. */
export interface ContentRange {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/** Copies a file, or a part of it, to the same place in one that is open. */
export async function copyContent(
  from: number,
  to: number,
  { start = 0, end = Infinity }: ContentRange = {},
): Promise<void> {
  let position = start;
  while (position < end) {
    const chunk = await readFully(from, Math.min(CHUNK_BYTES, end - position), position);
    if (chunk.byteLength === 0) return;
    await writeFully(to, chunk, position);
    position += chunk.byteLength;
  }
}
