import { extname } from 'node:path';

/** Go's own table, and of a Debian's `/etc/mime.types` what sandboxes have in them most. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.bz2': 'application/x-bzip2',
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/vnd.microsoft.icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.py': 'text/x-python; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.tar': 'application/x-tar',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'text/xml; charset=utf-8',
  '.zip': 'application/zip',
};

/** How many bytes of a file tell what it is. */
export const SNIFFED_BYTES = 512;
/** Control characters that no text has. */
// oxlint-disable-next-line no-control-regex
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

const OCTET_STREAM = 'application/octet-stream';

/** By the extension of the name. `undefined` if it says nothing. */
export function typeByExtension(name: string): string | undefined {
  // A name that is nothing but an extension, `.json`, has it for Go.
  const extension = extname(`x${name}`).toLowerCase();
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
}

/** By how the file begins: text, or anything. */
export function sniffType(beginning: Buffer): string {
  return BINARY.test(beginning.toString('latin1')) ? OCTET_STREAM : 'text/plain; charset=utf-8';
}

/** Of a compressed answer, which nobody looks into. */
export function typeOfCompressed(name: string): string {
  return typeByExtension(name) ?? OCTET_STREAM;
}
