const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;
const LONGEST_SEQUENCE = 4;

/** Whether a byte goes on with a UTF-8 sequence that an earlier byte began. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & CONTINUATION_MASK) === CONTINUATION;
}

/** The first `maxLength` UTF-16 units of a text, one less where that would halve a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHighSurrogate ? maxLength - 1 : maxLength);
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** Where bytes that were cut somewhere have to end, so that their last code point is whole. */
export function wholeEnd(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  while (start > 0 && bytes.length - start < LONGEST_SEQUENCE && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start];
  if (lead === undefined) return 0;
  return bytes.length - start < sequenceLength(lead) ? start : bytes.length;
}

/** Where bytes that were cut somewhere have to start, so that their first code point is whole. */
export function wholeStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < LONGEST_SEQUENCE - 1 && isContinuation(bytes[start])) start += 1;
  return start;
}

/** The index after the first `count` code points; the length, if there are no more than that. */
export function endOfFirst(bytes: Uint8Array, count: number): number {
  let seen = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    if (isContinuation(bytes[index])) continue;
    if (seen === count) return index;
    seen += 1;
  }
  return bytes.length;
}

/** The index where the last `count` code points start; 0, if there are no more than that. */
export function startOfLast(bytes: Uint8Array, count: number): number {
  let seen = 0;
  for (let index = bytes.length - 1; index >= 0; index -= 1) {
    if (isContinuation(bytes[index])) continue;
    seen += 1;
    if (seen === count) return index;
  }
  return 0;
}

/** Code points in valid UTF-8; every byte that does not fit counts as none or one. */
export function countCodePoints(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (!isContinuation(byte)) count += 1;
  return count;
}
