const CONTINUATION = 0b1000_0000;
const CONTINUATION_MASK = 0b1100_0000;

/** The longest beginning of some UTF-8 that has at most this many bytes and ends between code points. */
export function wholeBytes(bytes: Uint8Array, limit: number): Uint8Array {
  if (bytes.length <= limit) return bytes;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & CONTINUATION_MASK) === CONTINUATION) end -= 1;
  return bytes.subarray(0, end);
}

/** The beginning of a text, in bytes of UTF-8: whole lines where there are some in its second half. */
export function headOf(text: string, maxBytes: number): string {
  const head = Buffer.from(wholeBytes(Buffer.from(text, 'utf8'), maxBytes)).toString('utf8');
  if (head.length === text.length) return head;
  const lineEnd = head.lastIndexOf('\n');
  return lineEnd > head.length / 2 ? head.slice(0, lineEnd + 1) : head;
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
