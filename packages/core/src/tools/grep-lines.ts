import type { GrepLine } from '../backend/search.ts';

export interface GrepLinesOptions {
  readonly hasNumbers: boolean;
  /** Lines around matches were asked for, so that groups have to be told apart. */
  readonly hasContext: boolean;
}

/** Lines in the form of grep: `path:line:text`, `path-line-text` around a match, `--` between groups. */
export function grepLineTexts(
  lines: readonly GrepLine[],
  { hasNumbers, hasContext }: GrepLinesOptions,
): readonly string[] {
  let previous: GrepLine | undefined;
  return lines.map((line) => {
    const isGap = previous !== undefined && (previous.path !== line.path || previous.line + 1 < line.line);
    previous = line;
    const mark = line.isContext ? '-' : ':';
    const number = hasNumbers ? `${line.line}${mark}` : '';
    const cut = line.isCut ? ' [… line cut]' : '';
    return `${hasContext && isGap ? '--\n' : ''}${line.path}${mark}${number}${line.text}${cut}`;
  });
}
