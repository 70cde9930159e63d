import type { Writable } from 'node:stream';

/** Writes, and waits until the system has taken it. */
export function writeAll(stream: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
