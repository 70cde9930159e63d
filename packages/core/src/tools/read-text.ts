import { formatCall } from './format-call.ts';
import { decodeUtf8, splitMark } from './text/decode-text.ts';
import { wholeEnd, wholeStart } from './text/code-points.ts';
import { type LinePage, numberedLine, type PageLine } from './text/line-page.ts';

/** Bytes of text in one call's result. */
export const MAX_PAGE_BYTES: number = 256 * 1024;
/** The longest code point, so that every byte page gets on. */
export const MIN_PAGE_BYTES = 4;

export interface ShownPage {
  readonly text: string;
  /** The call that shows what comes next. */
  readonly next: Readonly<Record<string, unknown>> | undefined;
}

/** A page of lines with their numbers, and the call for the next one. */
export function showLines(
  page: LinePage,
  { path, limit }: { readonly path: string; readonly limit: number | undefined },
): ShownPage {
  const lines = page.lines.map((line) => numberedLine(line.number, lineText(line, path)));
  if (page.next === undefined) return { text: lines.join('\n'), next: undefined };
  const next = { file_path: path, offset: page.next, limit };
  const first = page.lines[0]?.number ?? page.next;
  const note = `[Lines ${first} to ${page.next - 1}. There are more: ${formatCall('Read', next)}]`;
  return { text: `${lines.join('\n')}\n\n${note}`, next };
}

function lineText({ text, rest }: PageLine, path: string): string {
  if (rest === undefined) return text;
  const byteLimit = Math.min(Math.max(rest.length, MIN_PAGE_BYTES), MAX_PAGE_BYTES);
  const call = formatCall('Read', { file_path: path, byte_offset: rest.offset, byte_limit: byteLimit });
  return `${text} [… this line has ${rest.length} more bytes: ${call}]`;
}

export interface ByteRange {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Where `bytes` start in the file. */
  readonly offset: number;
  readonly sizeBytes: number;
  readonly byteLimit: number | undefined;
}

/**
 * A range of a file's bytes as plain text, moved to whole code points.
 *
 * @throws `encoding-unsupported`
 */
export function showBytes({ path, bytes, offset, sizeBytes, byteLimit }: ByteRange): ShownPage {
  const from = offset === 0 ? 0 : wholeStart(bytes);
  const isLast = offset + bytes.length >= sizeBytes;
  const to = isLast ? bytes.length : Math.max(from, wholeEnd(bytes));
  const decoded = decodeUtf8(bytes.subarray(from, to), { path, offset: offset + from });
  const shown = (offset === 0 ? splitMark(decoded).text : decoded).replaceAll('\r\n', '\n');
  const range = `Bytes ${offset + from} to ${offset + to} of ${sizeBytes}`;
  if (isLast) return { text: `${shown}\n\n[${range}.]`, next: undefined };
  const next = { file_path: path, byte_offset: offset + to, byte_limit: byteLimit };
  return { text: `${shown}\n\n[${range}. There are more: ${formatCall('Read', next)}]`, next };
}
