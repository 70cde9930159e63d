export interface LineRange {
  /** From 1. Default 1. */
  readonly startLine?: number | undefined;
  /** Included. Default, and at the most: the last line. */
  readonly endLine?: number | undefined;
}

/**
 * Lines of a text, with the ends between them as they are and none after the last. What follows the
 * last end is a line, too, even if it is empty. Without a range the text as it is.
 */
export function extractLines(text: string, { startLine, endLine }: LineRange): string {
  if (startLine === undefined && endLine === undefined) return text;
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/u);
  if (/[\r\n]$/u.test(text)) lines.push('');
  const first = Math.max(startLine ?? 1, 1) - 1;
  const last = Math.max(Math.min(endLine ?? lines.length, lines.length), 0);
  const wanted = lines.slice(first, last).join('');
  return last === lines.length ? wanted : wanted.replace(/(?:\r\n|\n|\r)$/u, '');
}
