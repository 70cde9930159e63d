/** How much of the cut shows what comes before the match. */
const LEAD = 0.25;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** At most `maxBytes` of the line from `start` to `end`, its match at `column` among them, cut between characters. */
export function cutLine(
  bytes: Buffer,
  { start, end, column }: { readonly start: number; readonly end: number; readonly column: number | undefined },
  maxBytes: number,
): { readonly text: string; readonly isCut: boolean } {
  if (end - start <= maxBytes) return { text: bytes.toString('utf8', start, end), isCut: false };
  const wanted = start + Math.max(0, (column ?? 0) - Math.floor(maxBytes * LEAD));
  let cutStart = Math.min(wanted, end - maxBytes);
  let cutEnd = cutStart + maxBytes;
  while (cutStart < cutEnd && isContinuation(bytes[cutStart])) cutStart += 1;
  while (cutEnd > cutStart && cutEnd < end && isContinuation(bytes[cutEnd])) cutEnd -= 1;
  return { text: bytes.toString('utf8', cutStart, cutEnd), isCut: true };
}
