import { type FileHandle, open } from 'node:fs/promises';
import { ArchiveRejectedError } from '../../errors/archive-rejected-error.ts';
import { onHost } from '../host-io.ts';
import { MAX_TREE_BYTES } from '../skill-limits.ts';
import { SpoolFile } from './spool-file.ts';

/** An archive as an open file on the host. */
export interface ArchiveFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly sizeBytes: number;
}

/** @throws `archive-rejected` past 500 MiB, and as the host fails */
export async function openArchiveFile(archive: string | Uint8Array | ReadableStream<Uint8Array>): Promise<ArchiveFile> {
  if (typeof archive === 'string') return openPath(archive);
  const spool = await SpoolFile.create();
  try {
    if (archive instanceof Uint8Array) {
      checkSize(archive.byteLength);
      await spool.append(archive);
    } else {
      await fill(spool, archive);
    }
    return spool;
  } catch (error) {
    await spool[Symbol.asyncDispose]();
    throw error;
  }
}

async function openPath(path: string): Promise<ArchiveFile> {
  const handle = await onHost(path, 'open', () => open(path, 'r'));
  const close = (): Promise<void> => handle.close();
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw new ArchiveRejectedError({ reason: `${path} is no regular file` });
    checkSize(info.size);
    return { handle, sizeBytes: info.size, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fill(spool: SpoolFile, stream: ReadableStream<Uint8Array>): Promise<void> {
  const reader = stream.getReader();
  try {
    for (let next = await read(reader); next !== undefined; next = await read(reader)) {
      checkSize(spool.sizeBytes + next.byteLength);
      await spool.append(next);
    }
  } catch (error) {
    // A stream that has failed by itself fails to be cancelled for the same reason.
    await reader.cancel(error).catch(() => undefined);
    throw error;
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ArchiveRejectedError({ reason: `its stream failed (${message})` }, { cause: error });
  }
}

function checkSize(sizeBytes: number): void {
  if (sizeBytes > MAX_TREE_BYTES)
    throw new ArchiveRejectedError({ reason: `it is larger than ${MAX_TREE_BYTES} bytes` });
}
