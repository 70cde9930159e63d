/** How much of the cut shows what comes before the match. */
const LEAD = 0.25;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** At most `maxBytes` of a line, the match at `column` among them, cut between characters. */
export function cutLine(
  text: Buffer,
  column: number | undefined,
  maxBytes: number,
): { readonly text: string; readonly isCut: boolean } {
  if (text.byteLength <= maxBytes) return { text: text.toString('utf8'), isCut: false };
  const wanted = Math.max(0, (column ?? 0) - Math.floor(maxBytes * LEAD));
  let start = Math.min(wanted, text.byteLength - maxBytes);
  let end = start + maxBytes;
  while (start < end && isContinuation(text[start])) start += 1;
  while (end > start && isContinuation(text[end])) end -= 1;
  return { text: text.toString('utf8', start, end), isCut: true };
}
