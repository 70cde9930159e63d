const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const NEEDS_ENCODING = /[^\t\x20-\x7e]/;
/** What stands for itself in an encoded value (RFC 5987). */
const PLAIN = /[!#$&+.^_`|~0-9A-Za-z-]/;

function percentEncode(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return PLAIN.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** `Content-Disposition` of a file to be shown in place, under its own name whatever is in it. */
export function inlineDisposition(name: string): string {
  if (NEEDS_ENCODING.test(name)) return `inline; filename*=utf-8''${percentEncode(name)}`;
  if (TOKEN.test(name)) return `inline; filename=${name}`;
  return `inline; filename="${name.replace(/["\\]/g, '\\$&')}"`;
}
