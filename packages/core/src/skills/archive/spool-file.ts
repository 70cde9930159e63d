import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onHost } from '../host-io.ts';

/**
 * A temporary file that has no name: it is gone with the process, however that ends.
 */
export class SpoolFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  #sizeBytes = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(): Promise<SpoolFile> {
    return onHost(tmpdir(), 'make a temporary file in', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'agent-workspace-'));
      try {
        return new SpoolFile(await open(join(directory, 'spool'), 'wx+', 0o600));
      } finally {
        await rm(directory, { recursive: true });
      }
    });
  }

  get handle(): FileHandle {
    return this.#handle;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  async append(bytes: Uint8Array): Promise<void> {
    let written = 0;
    while (written < bytes.byteLength) {
      const { bytesWritten } = await onHost(tmpdir(), 'write a temporary file in', () =>
        this.#handle.write(bytes, written, bytes.byteLength - written, this.#sizeBytes),
      );
      written += bytesWritten;
      this.#sizeBytes += bytesWritten;
    }
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    return readFully(this.#handle, offset, length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** Shorter than `length` only where the file ends. */
export async function readFully(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
