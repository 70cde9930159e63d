export interface SearchOptions {
  /** Directory or file to search. Default: the workdir. */
  readonly path?: string | undefined;
  /** Entries to give back. No limit by default. */
  readonly limit?: number | undefined;
  /** Entries to pass over first. Default 0. */
  readonly offset?: number | undefined;
  /** Search files that `.gitignore` and the like name, too. Default `false`. */
  readonly includeIgnored?: boolean | undefined;
  /** After this many milliseconds what was found so far is given, marked `isIncomplete`. Default 20,000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GlobOptions extends SearchOptions {
  /** Relative to `path`; `**`, `*`, `?`, `[…]` and `{a,b}`. */
  readonly pattern: string;
}

/** What every search says about itself, so that a cut or failed one is never read as "nothing there". */
export interface SearchOutcome {
  /** There is more past `limit`. */
  readonly isTruncated: boolean;
  /** The search did not reach everything: it ran out of time, or files could not be read. */
  readonly isIncomplete: boolean;
  /** One line for each file or directory that could not be read, at most 20, and for a time-out. */
  readonly problems: readonly string[];
}

export interface GlobResult extends SearchOutcome {
  /** Absolute paths of files, sorted. */
  readonly paths: readonly string[];
}

export interface GrepOptions extends SearchOptions {
  /** A regular expression in ripgrep's syntax. */
  readonly pattern: string;
  readonly mode: 'lines' | 'files' | 'counts';
  /** Only files that this pattern matches. */
  readonly glob?: string | undefined;
  /** Only files of this ripgrep type. */
  readonly type?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  readonly linesBefore?: number | undefined;
  readonly linesAfter?: number | undefined;
  /** Longer lines are cut to this many bytes around the match. Default 2,000. */
  readonly maxLineBytes?: number | undefined;
}

export interface GrepLine {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Without its line end; cut where `isCut`. */
  readonly text: string;
  /** A line around a match, not a match. */
  readonly isContext: boolean;
  readonly isCut: boolean;
}

/** Sorted by path, then line. */
export type GrepResult = SearchOutcome &
  (
    | { readonly mode: 'lines'; readonly lines: readonly GrepLine[] }
    | { readonly mode: 'files'; readonly paths: readonly string[] }
    | { readonly mode: 'counts'; readonly counts: readonly { readonly path: string; readonly count: number }[] }
  );
