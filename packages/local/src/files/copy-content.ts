import { readFully, writeFully } from './descriptor.ts';

const CHUNK_BYTES = 256 * 1024;

/** Copies a whole file into one that is open. @returns bytes copied */
export async function copyContent(from: number, to: number): Promise<number> {
  let copied = 0;
  for (;;) {
    const chunk = await readFully(from, CHUNK_BYTES, copied);
    if (chunk.byteLength === 0) return copied;
    await writeFully(to, chunk);
    copied += chunk.byteLength;
  }
}
