import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { ArchiveRejectedError } from '../../errors/archive-rejected-error.ts';
import { MAX_TREE_ENTRIES } from '../skill-limits.ts';
import type { ArchiveContents } from './archive-contents.ts';
import { toArchiveError } from './archive-error.ts';

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const LINK = 0o120000;
/** Systems whose entries carry a Unix mode: Unix and macOS. */
const UNIX_SYSTEMS = [3, 19];
const MAX_LINK_BYTES = 4_096;

const UTF8_NAME = 0x800;
const STORED = 0;
const DEFLATED = 8;

/** @throws `archive-rejected`, and what zlib and yauzl throw on a damaged one */
export async function readZip(handle: FileHandle, contents: ArchiveContents): Promise<void> {
  const zip = await yauzl.fromFdPromise(handle.fd, { autoClose: false, decodeStrings: false });
  if (zip.entryCount > MAX_TREE_ENTRIES) {
    throw new ArchiveRejectedError({ reason: `there are more than ${MAX_TREE_ENTRIES} entries` });
  }
  for await (const entry of zip.eachEntry()) {
    const name = decodeName(entry);
    try {
      await readEntry(zip, entry, name, contents);
    } catch (error) {
      throw toArchiveError(error, name);
    }
  }
}

/** macOS writes UTF-8 without saying so; only what cannot be that is taken for the format's own code page. */
function decodeName({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const flags = isUtf8(fileNameRaw) ? generalPurposeBitFlag | UTF8_NAME : generalPurposeBitFlag;
  return yauzl.getFileNameLowLevel(flags, fileNameRaw, extraFields, false);
}

async function readEntry(zip: ZipFile, entry: Entry, name: string, contents: ArchiveContents): Promise<void> {
  const isUnix = UNIX_SYSTEMS.includes(entry.versionMadeBy >>> 8);
  const unixMode = isUnix ? entry.externalFileAttributes >>> 16 : 0;
  const type = unixMode & FILE_TYPE;
  const mode = unixMode & 0o7777;
  if (name.endsWith('/') || type === DIRECTORY) {
    contents.addDirectory(name, mode === 0 ? 0o755 : mode);
  } else if (type === LINK) {
    contents.addLink(name, await readLinkTarget(expandEntry(zip, entry, name, contents), name));
  } else if (type === 0 || type === REGULAR) {
    await contents.addFile(name, mode === 0 ? 0o644 : mode, expandEntry(zip, entry, name, contents));
  } else {
    throw new ArchiveRejectedError({ entry: name, reason: 'it is neither a file, a folder nor a link' });
  }
}

/** The bytes of an entry, which must be as many as its header says, and have its checksum. */
async function* expandEntry(
  zip: ZipFile,
  entry: Entry,
  name: string,
  contents: ArchiveContents,
): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) throw new ArchiveRejectedError({ entry: name, reason: 'it is encrypted' });
  const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  let sizeBytes = 0;
  let checksum = 0;
  for await (const chunk of decompress(raw, entry.compressionMethod, name)) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > entry.uncompressedSize) break;
    contents.expand(chunk.byteLength, name);
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  if (sizeBytes !== entry.uncompressedSize) {
    throw new ArchiveRejectedError({ entry: name, reason: 'its size is not the one that its header says' });
  }
  if (checksum !== entry.crc32) throw new ArchiveRejectedError({ entry: name, reason: 'its checksum is wrong' });
}

function decompress(raw: Readable, method: number, name: string): AsyncIterable<Uint8Array> {
  if (method === STORED) return raw as AsyncIterable<Uint8Array>;
  if (method !== DEFLATED) {
    raw.destroy();
    throw new ArchiveRejectedError({ entry: name, reason: `its compression (${method}) is none that is known here` });
  }
  // The reader of the last stream gets the error of any; the callback has nothing to add.
  return pipeline(raw, createInflateRaw(), () => undefined) as AsyncIterable<Uint8Array>;
}

async function readLinkTarget(chunks: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_LINK_BYTES) throw new ArchiveRejectedError({ entry: name, reason: 'its link is too long' });
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}
