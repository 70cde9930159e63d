import { closeSync } from 'node:fs';
import { FileTooLargeError, type ReadFileOptions, type ReadFileResult } from '@agent-workspace/core';
import { readFully } from './descriptor.ts';
import { toFileStat } from './file-stat.ts';
import { openForReading } from './open-regular.ts';
import type { PathGuard } from './path-guard.ts';
import { throwIfAborted } from './translate-error.ts';

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

export async function readFile(guard: PathGuard, path: string, options: ReadFileOptions = {}): Promise<ReadFileResult> {
  const { offset = 0, length = Infinity, maxBytes = DEFAULT_MAX_BYTES, signal } = options;
  throwIfAborted(signal, 'read', path);
  const { descriptor, stats } = openForReading(guard, path, options.noFollow);
  try {
    const stat = toFileStat(stats);
    const refuse = (sizeBytes: number): never => {
      throw new FileTooLargeError({ path: guard.absolute(path), sizeBytes, maxBytes });
    };
    // A file that the kernel makes up says that it is empty, and is not.
    const isSized = stat.sizeBytes > 0;
    if (isSized) {
      const wanted = Math.min(length, Math.max(0, stat.sizeBytes - offset));
      if (wanted > maxBytes) refuse(stat.sizeBytes);
      return { bytes: await readFully(descriptor, wanted, offset), stat };
    }
    const bytes = await readToEnd(descriptor, offset, Math.min(length, maxBytes + 1));
    if (bytes.byteLength > maxBytes) refuse(bytes.byteLength);
    return { bytes, stat };
  } finally {
    closeSync(descriptor);
  }
}

async function readToEnd(descriptor: number, offset: number, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < limit) {
    const chunk = await readFully(descriptor, Math.min(CHUNK_BYTES, limit - total), offset + total);
    if (chunk.byteLength === 0) break;
    chunks.push(chunk);
    total += chunk.byteLength;
  }
  return Buffer.concat(chunks, total);
}
