import { cutText } from './text/code-points.ts';
import { numberedLine } from './text/line-page.ts';

const CONTEXT_LINES = 3;
const MAX_SNIPPET_LINES = 20;
const MAX_SNIPPET_LINE_LENGTH = 200;

function lineNumberAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Start of the line that is `lines` lines before the one at `offset`, and how many that really are. */
function lineStartBefore(
  text: string,
  offset: number,
  lines: number,
): { readonly start: number; readonly back: number } {
  let start = text.lastIndexOf('\n', offset - 1) + 1;
  if (offset === 0) start = 0;
  let back = 0;
  while (back < lines && start > 0) {
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    back += 1;
  }
  return { start, back };
}

/** The lines around a change as Read would show them, cut to a few. */
export function snippet(text: string, start: number, end: number): string {
  const { start: from, back } = lineStartBefore(text, start, CONTEXT_LINES);
  const firstNumber = lineNumberAt(text, start) - back;
  const lines: string[] = [];
  let at = from;
  let after = 0;
  while (at < text.length && after <= CONTEXT_LINES && lines.length < MAX_SNIPPET_LINES) {
    const feed = text.indexOf('\n', at);
    const lineEnd = feed === -1 ? text.length : feed;
    if (lineEnd >= end) after += 1;
    const line = text.slice(at, Math.min(lineEnd, at + MAX_SNIPPET_LINE_LENGTH + 1)).replace(/\r$/, '');
    const cut = cutText(line, MAX_SNIPPET_LINE_LENGTH);
    lines.push(numberedLine(firstNumber + lines.length, cut === line ? line : `${cut} …`));
    at = lineEnd + 1;
  }
  return lines.length === 0 ? '(the file is empty now)' : lines.join('\n');
}

export interface NotFoundOptions {
  readonly path: string;
  readonly oldText: string;
}

/** What to say when `old_string` is not in the file, with the likely reason where one shows. */
export function notFoundText(text: string, { path, oldText }: NotFoundOptions): string {
  const start = `old_string was not found in ${path}, so nothing was changed.`;
  if (/^ *\d+\t/m.test(oldText)) {
    return `${start} It has line numbers as Read shows them, which are not part of the file: leave them out.`;
  }
  const trimmed = oldText.trim();
  const at = trimmed === '' ? -1 : text.indexOf(trimmed);
  if (at !== -1) {
    return `${start} Line ${lineNumberAt(text, at)} has it with other white space around it: copy that as Read shows it.`;
  }
  return `${start} Read the file and copy the text exactly, white space included.`;
}
