import { once } from 'node:events';
import { extract, type Extract } from 'tar-stream';
import { ArchiveRejectedError } from '../../errors/archive-rejected-error.ts';
import type { ArchiveContents } from './archive-contents.ts';

const BLOCK_BYTES = 512;

/** Takes archives older than ustar, too. The library has this option, and its types have not. */
const TAR_OPTIONS = { allowUnknownFormat: true } as Parameters<typeof extract>[0];

type TarEntry = Extract extends AsyncIterable<infer Entry> ? Entry : never;

/**
 * @param chunks the archive, decompressed
 * @throws `archive-rejected`, and what zlib and tar-stream throw on a damaged one
 */
export async function readTar(chunks: AsyncIterable<Uint8Array>, contents: ArchiveContents): Promise<void> {
  const extractor = extract(TAR_OPTIONS);
  const feeding = feed(chunks, extractor, contents);
  try {
    for await (const entry of extractor) await readEntry(entry, contents);
  } finally {
    extractor.destroy();
    await feeding;
  }
}

async function readEntry(entry: TarEntry, contents: ArchiveContents): Promise<void> {
  const { name, type, linkname, mode } = entry.header;
  switch (type) {
    case 'file':
    case 'contiguous-file':
      await contents.addFile(name, mode, entry as AsyncIterable<Uint8Array>);
      return;
    case 'directory':
      contents.addDirectory(name, mode);
      break;
    case 'symlink':
      contents.addLink(name, linkname);
      break;
    case 'link':
      contents.addHardLink(name, linkname, mode);
      break;
    default:
      throw new ArchiveRejectedError({ entry: name, reason: 'it is neither a file, a folder nor a link' });
  }
  entry.resume();
}

/** Hands the archive to the extractor, counting what it expands to, and takes a missing end for damage. */
async function feed(chunks: AsyncIterable<Uint8Array>, extractor: Extract, contents: ArchiveContents): Promise<void> {
  let tail: Uint8Array = new Uint8Array();
  try {
    for await (const chunk of chunks) {
      contents.expand(chunk.byteLength);
      tail =
        chunk.byteLength >= BLOCK_BYTES
          ? chunk.subarray(-BLOCK_BYTES)
          : Buffer.concat([tail, chunk]).subarray(-BLOCK_BYTES);
      const isFull = !extractor.write(chunk);
      if (extractor.destroyed) return;
      if (isFull) await drained(extractor);
    }
    if (tail.byteLength < BLOCK_BYTES || tail.some((byte) => byte !== 0)) {
      throw new ArchiveRejectedError({ reason: 'its end is missing' });
    }
    extractor.end(null);
  } catch (error) {
    extractor.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

async function drained(extractor: Extract): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  try {
    await Promise.race([once(extractor, 'drain', { signal }), once(extractor, 'close', { signal })]);
  } finally {
    controller.abort();
  }
}
