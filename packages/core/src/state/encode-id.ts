import { createHash } from 'node:crypto';
import { IdInvalidError } from '../errors/id-invalid-error.ts';

/** Longest name made from an id, in bytes, so that names with a prefix and suffix stay below 255. */
const MAX_NAME_BYTES = 120;
const HASHED_PREFIX_BYTES = 40;

/** Names that some file systems keep for devices. */
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/i;

function percentEncode(id: string, keep: RegExp): string {
  let encoded = '';
  for (const byte of Buffer.from(id, 'utf8')) {
    const character = String.fromCharCode(byte);
    const isKept = keep.test(character) && !(encoded === '' && !/[a-zA-Z0-9]/.test(character));
    encoded += isKept ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

function encode(id: string, keep: RegExp): string {
  // Callers in plain JavaScript are not held to the type.
  if (typeof id !== 'string') throw new IdInvalidError({ id: String(id), reason: 'it is no string' });
  if (id === '') throw new IdInvalidError({ id, reason: 'it is empty' });
  if (!id.isWellFormed()) throw new IdInvalidError({ id, reason: 'it has half a surrogate pair' });
  const reserved = RESERVED.test(id) ? `%${id.charCodeAt(0).toString(16).toUpperCase()}${id.slice(1)}` : undefined;
  const encoded = reserved ?? percentEncode(id, keep);
  if (encoded.length <= MAX_NAME_BYTES) return encoded;
  const hash = createHash('sha256').update(id, 'utf8').digest('hex');
  return `${encoded.slice(0, HASHED_PREFIX_BYTES)}~${hash}`;
}

/**
 * A file name for an id from outside, different for every id, also where the file system ignores
 * case. Identity for `[a-z0-9][a-z0-9_-]{0,63}`; other bytes become `%XX`; what would be too long
 * is a prefix and a SHA-256.
 *
 * @throws `id-invalid` if it is empty or no Unicode text
 */
export function encodeId(id: string): string {
  return encode(id, /[a-z0-9_-]/);
}

/** As {@link encodeId}, but capitals stay as they are. */
export function encodeToolCallId(id: string): string {
  return encode(id, /[a-zA-Z0-9_-]/);
}

/**
 * Whether a directory with exactly this name, made by AgentScope, may serve the id of that name:
 * nothing in it means anything to a path, and it cannot be the encoded name of another id.
 */
export function isSafeVerbatimName(id: string): boolean {
  const isShort = Buffer.byteLength(id, 'utf8') <= MAX_NAME_BYTES;
  // oxlint-disable-next-line no-control-regex
  return (
    isShort && id.isWellFormed() && !/[%~/\\\u0000-\u001f\u007f]/.test(id) && !id.startsWith('.') && !RESERVED.test(id)
  );
}
