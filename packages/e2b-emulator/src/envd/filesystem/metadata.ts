import { loadLibc } from './libc.ts';
import { codeOf } from './system-error.ts';

/** What a client says of a file, by key. */
export type Metadata = Readonly<Record<string, string>>;

/** The namespace of extended attributes that metadata is kept in. */
const PREFIX = 'user.e2b.';
/** The kernel allows a name of 255 bytes, prefix included. */
const MAX_KEY_BYTES = 255 - PREFIX.length;
/** Keys and values together: what ext4 keeps of attributes in one block. */
const MAX_TOTAL_BYTES = 4096;

/** Why this metadata cannot be kept; `undefined` where it can. */
export function metadataFault(metadata: Metadata): string | undefined {
  let totalBytes = 0;
  for (const [key, value] of Object.entries(metadata)) {
    if (key === '' || key.length > MAX_KEY_BYTES) return `metadata key "${key}" must have 1 to ${MAX_KEY_BYTES} bytes`;
    if (!/^[\x20-\x7e]*$/.test(key + value)) return `metadata "${key}" must consist of printable ASCII characters`;
    totalBytes += key.length + value.length;
  }
  return totalBytes > MAX_TOTAL_BYTES ? `metadata must not exceed ${MAX_TOTAL_BYTES} bytes in total` : undefined;
}

function attributesOf(path: string): readonly string[] {
  return (
    loadLibc()
      ?.listAttributes(path)
      .filter((name) => name.startsWith(PREFIX)) ?? []
  );
}

/** The file's metadata; empty where it has none, or where its file system or platform keeps none. */
export function readMetadata(path: string): Metadata {
  const libc = loadLibc();
  if (libc === undefined) return {};
  try {
    const names = attributesOf(path);
    return Object.fromEntries(names.map((name) => [name.slice(PREFIX.length), libc.getAttribute(path, name)]));
  } catch {
    // A dangling link, a file that goes away meanwhile, a file system without attributes: there is nothing to tell.
    return {};
  }
}

/**
 * Makes this the file's metadata in place of what it had. Attributes outside of E2B's namespace stay.
 *
 * @throws an error of the system where metadata is given and the file cannot keep it
 */
export function writeMetadata(path: string, metadata: Metadata): void {
  const libc = loadLibc();
  const entries = Object.entries(metadata);
  if (libc === undefined) {
    if (entries.length === 0) return;
    throw new Error(`metadata of files is kept on Linux only, not on ${process.platform}`);
  }
  try {
    for (const name of attributesOf(path)) {
      if (!(name.slice(PREFIX.length) in metadata)) libc.removeAttribute(path, name);
    }
    for (const [key, value] of entries) libc.setAttribute(path, PREFIX + key, value);
  } catch (error) {
    // Where a file system keeps no attributes there is nothing to clear.
    if (entries.length > 0 || codeOf(error) !== 'ENOTSUP') throw error;
  }
}
