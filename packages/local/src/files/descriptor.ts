import { fsync, read, readSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const readAsync = promisify(read);
const writeAsync = promisify(write);

export const syncDescriptor: (descriptor: number) => Promise<void> = promisify(fsync);

/**
 * Up to here a copy from or to the page cache takes less time than the trip over the thread pool
 * that would keep it off the event loop.
 */
const SYNCHRONOUS_BYTES = 256 * 1024;

/** Reads until `length` bytes are there or the file ends. */
export async function readFully(descriptor: number, length: number, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const at = position + filled;
    const bytesRead =
      length <= SYNCHRONOUS_BYTES
        ? readSync(descriptor, buffer, filled, length - filled, at)
        : (await readAsync(descriptor, buffer, filled, length - filled, at)).bytesRead;
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/**
 * One write where the system takes all of it at once.
 *
 * @param position default: the descriptor's own
 * @returns bytes written, fewer if it took none of the rest
 */
export async function writeOnce(descriptor: number, bytes: Uint8Array, position?: number): Promise<number> {
  if (bytes.byteLength <= SYNCHRONOUS_BYTES) return writeSync(descriptor, bytes, 0, bytes.byteLength, position);
  return (await writeAsync(descriptor, bytes, 0, bytes.byteLength, position ?? null)).bytesWritten;
}

/** Writes all of `bytes`. @param position default: the descriptor's own */
export async function writeFully(descriptor: number, bytes: Uint8Array, position?: number): Promise<void> {
  let written = 0;
  while (written < bytes.byteLength) {
    const at = position === undefined ? undefined : position + written;
    written += await writeOnce(descriptor, bytes.subarray(written), at);
  }
}
