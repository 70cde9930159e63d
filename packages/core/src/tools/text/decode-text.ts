import { isUtf8 } from 'node:buffer';
import { EncodingUnsupportedError } from '../../errors/encoding-unsupported-error.ts';

const BOM = '\u{FEFF}';
const REPLACEMENT = '\u{FFFD}';
const REPLACEMENT_BYTES: Buffer = Buffer.from(REPLACEMENT);

/** The index of the first byte that is not part of valid UTF-8. */
export function firstInvalidByte(bytes: Uint8Array): number | undefined {
  if (isUtf8(bytes)) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lossy = buffer.toString('utf8');
  // All text before a replacement character is valid, so its length in bytes is an index in `bytes`.
  let offset = 0;
  let from = 0;
  for (let at = lossy.indexOf(REPLACEMENT); at !== -1; at = lossy.indexOf(REPLACEMENT, from)) {
    offset += Buffer.byteLength(lossy.slice(from, at));
    if (!buffer.subarray(offset, offset + REPLACEMENT_BYTES.length).equals(REPLACEMENT_BYTES)) return offset;
    offset += REPLACEMENT_BYTES.length;
    from = at + 1;
  }
  return undefined;
}

function utf16Mark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'it starts with the byte order mark of UTF-16LE';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'it starts with the byte order mark of UTF-16BE';
  return undefined;
}

export interface DecodeOptions {
  /** The file that the bytes are from, for the error. */
  readonly path: string;
  /** Where in the file the bytes start. Default 0. */
  readonly offset?: number | undefined;
}

/**
 * Decodes strict UTF-8. A byte order mark stays in the text.
 *
 * @throws `encoding-unsupported`
 */
export function decodeUtf8(bytes: Uint8Array, options: DecodeOptions): string {
  const invalid = firstInvalidByte(bytes);
  const offset = options.offset ?? 0;
  if (invalid !== undefined) {
    const hex = (bytes[invalid] ?? 0).toString(16).toUpperCase().padStart(2, '0');
    const mark = offset === 0 ? utf16Mark(bytes) : undefined;
    const reason = mark ?? `byte 0x${hex} at offset ${offset + invalid} does not fit`;
    throw new EncodingUnsupportedError({ path: options.path, reason });
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

export interface MarkedText {
  /** The byte order mark, or nothing. */
  readonly mark: string;
  readonly text: string;
}

/** Takes a byte order mark off, so that it is not shown and can be put back. */
export function splitMark(text: string): MarkedText {
  return text.startsWith(BOM) ? { mark: BOM, text: text.slice(BOM.length) } : { mark: '', text };
}
